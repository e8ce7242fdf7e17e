"""Installs the index of meaning by pip or uv: in a checkout from its locked list."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import invalidate_caches
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec

from bot.shipped import checkout

_ROOM_BYTES = 1_000_000_000
"""Bytes that are free before pip begins: what it fetches and what it unpacks lie side by side."""

_LIST = "requirements/meaning.txt"
_THERE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('chromadb') is None)"
_COMES = ("Collecting", "Requirement already satisfied", " + ")
"""The beginnings of the lines in which pip and uv name a package."""

_MOST = 300
"""Characters of pip's own words."""


class NotInstalled(Exception):
    """The reason why nothing could be installed, as a sentence."""


def is_there() -> bool:
    """Returns true when the index is installed; this process may not have noticed it yet."""
    return subprocess.run([sys.executable, "-c", _THERE], check=False).returncode == 0


def can_install() -> bool:
    """Returns true when pip or uv is there; `uv tool install` leaves pip out."""
    return bool(installer())


def by_hand() -> str:
    """Returns the exact command that installs the index into this installation."""
    if checkout() is not None:
        return "make meaning"
    pip = f"{sys.executable} -m pip install"
    if find_spec("pip") is None:
        pip = f"uv pip install --python {sys.executable}"
    return f'{pip} "{_wanted()}"'


def install(tell: Callable[[int, int], None]) -> None:
    """Installs the index, and tells how many packages have come, of how many or of 0 if unknown.

    Raises NotInstalled. A stop by the person ends pip too.
    """
    free = shutil.disk_usage(checkout() or sys.prefix).free
    if free < _ROOM_BYTES:
        raise NotInstalled(f"Only {free // 1_000_000:,} MB of the disk are free; it needs 1 GB.")
    said = _ran(tell)
    if said is not None:
        raise NotInstalled(f"pip says: {said}")
    invalidate_caches()
    if not is_there():
        raise NotInstalled("pip found nothing to do, but the index is not there.")


def installer(python: str = "") -> tuple[str, ...]:
    """Returns the command that installs packages beside a Python, or beside this program.

    It is empty if there is no installer.
    """
    python = python or sys.executable
    if find_spec("pip") is not None:
        plain = ("--no-input", "--disable-pip-version-check", "--progress-bar", "off")
        return (python, "-m", "pip", "install", *plain)
    uv = shutil.which("uv")
    return () if uv is None else (uv, "pip", "install", "--python", python)


def _packages() -> tuple[Sequence[str], int]:
    """Returns what to install, and the number of packages if a checkout has them in a list."""
    root = checkout()
    if root is None:
        return (_wanted(),), 0
    wanted = root / _LIST
    count = len(re.findall(r"^[a-z0-9].*==", wanted.read_text(), re.MULTILINE))
    return ("--require-hashes", "--requirement", str(wanted)), count


def _ran(tell: Callable[[int, int], None]) -> str | None:
    """Runs pip or uv; returns its last words if it failed."""
    wanted, count = _packages()
    last, come = "no reason given", 0
    with subprocess.Popen(
        [*installer(), *wanted],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as pip:
        try:
            for line in pip.stdout or ():
                if line.startswith(_COMES):
                    come += 1
                    tell(min(come, count) if count else come, count)
                elif line.lower().startswith("error:"):
                    last = line[len("error:") :].strip()[:_MOST]
        except KeyboardInterrupt:
            pip.terminate()
            raise
    return None if pip.returncode == 0 else last


def _wanted() -> str:
    """Returns what the program wants of the index, as its package says it."""
    try:
        told = requires("steward") or []
    except PackageNotFoundError:
        told = []
    found = (one.partition(";")[0].strip() for one in told if "meaning" in one)
    return next(found, "chromadb")
