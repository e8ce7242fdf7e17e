"""Files beside a SKILL.md, opened step by step so that no path and no link leads elsewhere."""

import os
import stat
from pathlib import PurePosixPath

from bot.domain.errors import ToolFailure

LARGEST = 1_000_000
"""Bytes of a bundled file that can be read."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def read_file(folder: str, name: str, most: int) -> bytes:
    """Returns the first `most` bytes of a regular file; neither it nor its folder may be a link.

    Raises OSError and ToolFailure.
    """
    inside = os.open(folder, _FOLDER)
    try:
        file = os.open(name, _FILE, dir_fd=inside)
    finally:
        os.close(inside)
    try:
        if not stat.S_ISREG(os.fstat(file).st_mode):
            raise ToolFailure("it is not a file")
        return os.read(file, most)
    finally:
        os.close(file)


def _read_bytes(folder: str, path: str, most: int) -> bytes:
    """Returns the first `most` bytes of a regular file below a folder; follows no link.

    Raises OSError, and ToolFailure for a path that leads out.
    """
    pure = PurePosixPath(path)
    if "\0" in path or pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise ToolFailure(f"{path!r}: should be a path below the folder of the skill")
    current = os.open(folder, _FOLDER)
    try:
        for name in pure.parts[:-1]:
            inner = os.open(name, _FOLDER, dir_fd=current)
            os.close(current)
            current = inner
        file = os.open(pure.parts[-1], _FILE, dir_fd=current)
    finally:
        os.close(current)
    with os.fdopen(file, "rb") as opened:
        if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            raise ToolFailure(f"{path}: it is not a file")
        return opened.read(most)


def read_text(folder: str, path: str) -> str:
    """Returns the text of a bundled file; raises ToolFailure."""
    try:
        content = _read_bytes(folder, path, LARGEST + 1)
    except OSError as fault:
        raise ToolFailure(f"{path}: {fault.strerror or 'it cannot be read'}") from fault
    if len(content) > LARGEST:
        raise ToolFailure(f"{path}: larger than {LARGEST // 1_000_000} MB")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolFailure(f"{path}: it is not text") from None


def listed(folder: str, most: int) -> list[str]:
    """Returns at most `most` paths of files beside SKILL.md, without links and hidden files."""
    found: list[str] = []
    for current, folders, files in os.walk(folder, followlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "__")))
        for name in sorted(files):
            path = os.path.join(current, name)  # noqa: PTH118 - os.walk gives texts
            relative = os.path.relpath(path, folder)
            if relative == "SKILL.md" or name.startswith(".") or os.path.islink(path):  # noqa: PTH114
                continue
            found.append(relative)
            if len(found) >= most:
                return found
    return found
