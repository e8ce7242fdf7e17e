"""Installs the index of meaning by pip, from the locked list of the checkout."""

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib import invalidate_caches
from importlib.metadata import PackageNotFoundError, requires
from importlib.util import find_spec
from pathlib import Path

from bot.shipped import checkout

_ROOM_BYTES = 1_000_000_000
"""Bytes that are free before pip begins: what it fetches and what it unpacks lie side by side."""

_LIST = "requirements/meaning.txt"
_THERE = "import importlib.util, sys; sys.exit(importlib.util.find_spec('chromadb') is None)"
_MOST = 300
"""Characters of pip's own words."""


class NotInstalled(Exception):
    """The reason why nothing could be installed, as a sentence."""


def is_there() -> bool:
    """Returns true when the index is installed; this process may not have noticed it yet."""
    return subprocess.run([sys.executable, "-c", _THERE], check=False).returncode == 0


def can_install() -> bool:
    return checkout() is not None


def by_hand() -> str:
    """Returns the exact command that installs the index into this installation."""
    if can_install():
        return "make meaning"
    pip = f"{sys.executable} -m pip install"
    if find_spec("pip") is None:
        pip = f"uv pip install --python {sys.executable}"
    return f'{pip} "{_wanted()}"'


def install(tell: Callable[[int, int], None]) -> None:
    """Installs the index, and tells how many packages of how many have come.

    Raises NotInstalled. A stop by the person ends pip too.
    """
    root = checkout()
    if root is None:
        raise NotInstalled(f"Install it by hand: {by_hand()}")
    free = shutil.disk_usage(root).free
    if free < _ROOM_BYTES:
        raise NotInstalled(f"Only {free // 1_000_000:,} MB of the disk are free; it needs 1 GB.")
    said = _ran(root, tell)
    if said is not None:
        raise NotInstalled(f"pip says: {said}")
    invalidate_caches()
    if not is_there():
        raise NotInstalled("pip found nothing to do, but the index is not there.")


def _ran(root: Path, tell: Callable[[int, int], None]) -> str | None:
    """Runs pip; returns its last words if it failed."""
    wanted = root / _LIST
    count = len(re.findall(r"^[a-z0-9].*==", wanted.read_text(), re.MULTILINE))
    command = [
        *(sys.executable, "-m", "pip", "install", "--require-hashes", "--no-input"),
        *("--disable-pip-version-check", "--progress-bar", "off", "--requirement", str(wanted)),
    ]
    last, come = "no reason given", 0
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as pip:
        try:
            for line in pip.stdout or ():
                if line.startswith(("Collecting", "Requirement already satisfied")):
                    come += 1
                    tell(min(come, count), count)
                elif line.startswith("ERROR:"):
                    last = line.removeprefix("ERROR:").strip()[:_MOST]
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
