"""Folders of Markdown files: their names, and the text of each, bounded and without waiting."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from bot.domain.plans.template import is_name

_ABOUT = "README.md"

Stamp: TypeAlias = tuple[int, int, int] | None
"""The signs that a file has changed: its time of change, size and inode number."""


class Wrong(Exception):
    """The fault of a file, with its line; 0 when it concerns the whole file."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line = line


def files_in(folder: Path, most: int) -> Sequence[Path]:
    """Returns the first `most` files of a folder but its README; raises OSError."""
    files = sorted(folder.glob("*.md")) if folder.is_dir() else []
    return [file for file in files if file.name != _ABOUT][:most]


def text_of(file: Path, folder: Path, largest: int) -> str:
    """Returns the text of a file of the folder that has at most `largest` bytes; raises Wrong."""
    if not is_name(file.stem):
        raise Wrong(1, "a file's name is lower-case letters and digits with single dashes")
    try:
        if not file.resolve().is_relative_to(folder.resolve()):
            raise Wrong(1, "it is a link out of its folder")
        data = first_bytes_of(file, largest + 1)
    except OSError as fault:
        raise Wrong(1, f"it cannot be read: {fault.strerror}") from None
    if data is None:
        raise Wrong(1, "it is not a regular file")
    if len(data) > largest:
        raise Wrong(1, f"it has more than {largest:,} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError as fault:
        raise Wrong(data[: fault.start].count(b"\n") + 1, "it is no UTF-8 text") from None


def first_bytes_of(file: Path, most: int) -> bytes | None:
    """Returns the beginning of a file; None for what is no regular file. Raises OSError."""
    # Without waiting: the file may be a pipe that nobody writes to.
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, most) if regular else None
    finally:
        os.close(descriptor)


def look_at(file: str | Path) -> Stamp:
    """Returns the signs that a file has changed; None when it cannot be seen."""
    try:
        found = os.stat(file)  # noqa: PTH116 - a text is cheaper, and skills look at thousands
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
