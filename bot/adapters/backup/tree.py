"""Walks a folder that anybody may have filled: no link is followed, nothing can hold us up."""

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from bot.domain.value import frozen

_DEEPEST = 100
"""Folders in one another; each of them takes a descriptor while it is read."""

_SPARSE = 1 << 30
"""Bytes of a file from which on it is left out when hardly any of it is on the disk."""

_BLOCK = 512
_OPENING = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@frozen
class LeftOut:
    """A thing that is not in the backup, and why."""

    name: str
    why: str


@frozen
class Part:
    """A file, a folder or a link below the folder that is walked."""

    name: str
    kind: Literal["file", "folder", "link"]
    mode: int = 0o700
    size: int = 0
    changed: int = 0
    """The second of its last change."""
    target: str = ""
    """The words of a link."""
    file: int = -1
    """The descriptor of an open file, until the next part is asked for."""


def walked(
    folder: Path, leaves: Callable[[str], bool], left_out: Callable[[LeftOut], None]
) -> Iterator[Part]:
    """Yields everything below a folder, a folder before what is in it.

    Names for which `leaves` is true are passed over silently. What cannot be kept is told.
    """
    try:
        top = os.open(folder, _OPENING | os.O_DIRECTORY)
    except FileNotFoundError:
        return
    except OSError as error:
        left_out(LeftOut(".", _why(error)))
        return
    yield from _below(top, "", 0, leaves, left_out)


def _below(
    folder: int,
    within: str,
    depth: int,
    leaves: Callable[[str], bool],
    left_out: Callable[[LeftOut], None],
) -> Iterator[Part]:
    """Yields what is in an open folder, and closes it."""
    try:
        for one in sorted(os.listdir(folder)):
            name = f"{within}{one}"
            if leaves(name):
                continue
            try:
                found = _found(folder, one, name)
            except OSError as error:
                left_out(LeftOut(name, _why(error)))
                continue
            if isinstance(found, LeftOut):
                left_out(found)
            elif found.kind == "folder":
                yield found
                if depth < _DEEPEST:
                    yield from _below(found.file, f"{name}/", depth + 1, leaves, left_out)
                else:
                    os.close(found.file)
                    left_out(LeftOut(name, "it is too deep"))
            else:
                try:
                    yield found
                finally:
                    if found.file >= 0:
                        os.close(found.file)
    finally:
        os.close(folder)


def _found(folder: int, one: str, name: str) -> Part | LeftOut:
    """Returns one thing in a folder; a file and a folder are open, and stay what they are."""
    state = os.lstat(one, dir_fd=folder)
    if stat.S_ISLNK(state.st_mode):
        return Part(name, "link", target=os.readlink(one, dir_fd=folder))
    if not (stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode)):
        return LeftOut(name, "it is a device, a pipe or a socket")
    opened = os.open(one, _OPENING, dir_fd=folder)
    state = os.fstat(opened)
    mode, changed = stat.S_IMODE(state.st_mode) & 0o777, int(state.st_mtime)
    if stat.S_ISDIR(state.st_mode):
        return Part(name, "folder", mode, changed=changed, file=opened)
    size = state.st_size
    sparse = size > _SPARSE and state.st_blocks * _BLOCK < size // 10
    if stat.S_ISREG(state.st_mode) and not sparse:
        return Part(name, "file", mode, size, changed, file=opened)
    os.close(opened)
    why = f"it is {size / 1e9:,.0f} GB of nothing" if sparse else "it changed its kind"
    return LeftOut(name, why)


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__
