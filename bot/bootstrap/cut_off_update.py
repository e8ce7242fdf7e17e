"""Tells that an update of this installation was cut off, and lets one that is under way be known.

An update holds the folder that the environment lies in; the system lets it go if the update dies.
"""

import fcntl
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.shipped import command
from bot.shipped.version import running_version

NOTE = "steward-update.json"
"""Lies in a new version from its first moment until it has proven itself."""

_UNTRIED = (
    "The update to {} was cut off before it was tried.",
    "Run `{}`: it tries this version, and goes back if it does not work.",
)
_BEFORE = (
    "An update was cut off before it changed anything; {} is installed as before.",
    "Run `{}` to begin again.",
)


def copy_of(environment: Path) -> Path:
    """Returns the place of the other version while an update is under way."""
    return environment.with_name(f".{environment.name}-before-update")


def spare_of(environment: Path) -> Path:
    """Returns the place of a copy that is not whole yet, or not needed any more."""
    return environment.with_name(f"{copy_of(environment).name}.part")


@contextmanager
def under_way(environment: Path) -> Iterator[None]:
    """Lets starts know, as long as it lasts, that an update is under way."""
    with _opened(environment.parent) as folder:
        if folder is not None:
            fcntl.flock(folder, fcntl.LOCK_SH)
        yield


def cut_off(environment: Path = Path(sys.prefix)) -> tuple[str, str] | None:
    """Returns what is told about an update that was cut off, and what to do; None without one."""
    copy = copy_of(environment)
    if not (copy.exists() or spare_of(environment).exists()) or _is_under_way(environment):
        return None
    said, mend = _UNTRIED if copy.exists() and (environment / NOTE).exists() else _BEFORE
    return said.format(running_version()), mend.format(command("update"))


def _is_under_way(environment: Path) -> bool:
    with _opened(environment.parent) as folder:
        if folder is None:
            return False
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        return False


@contextmanager
def _opened(folder: Path) -> Iterator[int | None]:
    """Yields the folder; None where this user may not read it."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield None
        return
    try:
        yield opened
    finally:
        os.close(opened)
