"""Finds the backups that lie in a home."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.bootstrap.upgrading import FOLDER

MARK = "-auto"
"""Stands in the names of these backups: only they are deleted again."""

_NAME = re.compile(r"steward-(\d{8}-\d{6})(?:-auto)?\.tar\.gz")


def make_folder(home: Path, folder: Path) -> None:
    """Makes a folder for backups, and the home around it, for this user alone."""
    if folder.is_relative_to(home):
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def made(home: Path) -> Sequence[tuple[datetime, Path]]:
    """Returns the backups in the folder, the newest first; each was proven as it was made."""
    found: list[tuple[datetime, Path]] = []
    for file in (home / FOLDER).glob("steward-*"):
        if (named := _NAME.fullmatch(file.name)) is not None:
            at = datetime.strptime(named[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC)
            found.append((at, file))
    return sorted(found, reverse=True)


def newest(home: Path) -> str:
    """Returns the newest backup of a home and its time, as half a sentence; empty without one."""
    try:
        found = made(home)
    except OSError:
        return ""
    return f"{found[0][1]}, of {found[0][0]:%Y-%m-%d %H:%M} UTC" if found else ""
