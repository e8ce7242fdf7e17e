"""Finds the backups that lie in a home."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from bot.bootstrap.upgrading import FOLDER

MARK = "-auto"
"""Stands in the names of these backups: only they are deleted again."""

_NAME = re.compile(r"steward-(\d{8}-\d{6})(?:-auto)?\.tar\.gz")


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
