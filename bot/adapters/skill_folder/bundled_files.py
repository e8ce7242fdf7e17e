"""The files beside a SKILL.md, opened step by step so that no path or link leads outside."""

import errno
import os
import stat
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TypeAlias

from bot.domain.talk.errors import ToolFailure

LARGEST = 1_000_000
"""The most bytes of a bundled file that can be read."""

MOST_LISTED = 200
"""The most names in the list of a folder."""

Identity: TypeAlias = tuple[int, int]
"""The device and inode number of a folder: another folder in its place has other numbers."""

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_ANY = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_MOST_LINKS = 8
_MOST_COUNTED = 10_000
_OUTSIDE = "a link leads out of the folder"


def opened(folder: str, identity: Identity | None = None, *, follow: bool = False) -> int:
    """Opens a folder if it still has this identity; the caller closes the descriptor.

    With `follow` the folder may be a link. Raises OSError and ToolFailure.
    """
    found = os.open(folder, _FOLDER & ~os.O_NOFOLLOW if follow else _FOLDER)
    if identity is not None and identity_of(found) != identity:
        os.close(found)
        raise ToolFailure("the folder was replaced by another one; try again in a moment")
    return found


def identity_of(descriptor: int) -> Identity:
    found = os.fstat(descriptor)
    return found.st_dev, found.st_ino


def opened_below(base: int, path: str) -> int:
    """Opens the target of a path; follows links itself, and never out of the base folder.

    Each step starts from an open folder, so swapping a folder meanwhile changes nothing. The caller
    closes the descriptor. Raises OSError and ToolFailure.
    """
    steps = _steps(path)
    above, links = [os.dup(base)], 0
    try:
        while steps:
            name = steps.pop()
            if name == "..":
                _leave(above)
                continue
            try:
                found = os.open(name, _ANY, dir_fd=above[-1])
            except OSError as fault:
                if fault.errno not in (errno.ELOOP, errno.EMLINK) or links == _MOST_LINKS:
                    raise
                links += 1
                steps.extend(_target(name, above[-1]))
                continue
            above.append(found)
        return above.pop()
    finally:
        for descriptor in above:
            os.close(descriptor)


def _leave(above: list[int]) -> None:
    if len(above) == 1:
        raise ToolFailure(_OUTSIDE)
    os.close(above.pop())


def _target(link: str, folder: int) -> Sequence[str]:
    """Returns the steps of a link's target, the last one first."""
    target = os.readlink(link, dir_fd=folder)
    if target.startswith("/"):
        raise ToolFailure(_OUTSIDE)
    return _steps(target)


def _steps(path: str) -> list[str]:
    """Returns the names in a path, the last one first."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def read_below(base: int, path: str, most: int) -> bytes:
    """Reads at most `most` bytes of a regular file below a folder.

    Raises OSError and ToolFailure.
    """
    with os.fdopen(opened_below(base, path), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ToolFailure("it is not a file")
        return file.read(most)


def read_text(base: int, path: str) -> str:
    """Returns the text of a bundled file, or the list of a folder; raises ToolFailure."""
    pure = PurePosixPath(path)
    if "\0" in path or pure.is_absolute() or ".." in pure.parts:
        raise ToolFailure(f"{path!r}: should be a path below the folder of the skill")
    try:
        found = opened_below(base, path)
    except UnicodeEncodeError:
        raise ToolFailure(f"{path!r}: is not valid Unicode") from None
    except OSError as fault:
        raise ToolFailure(f"{path}: {fault.strerror or 'it cannot be read'}") from fault
    except ToolFailure as fault:
        raise ToolFailure(f"{path}: {fault}") from None
    try:
        mode = os.fstat(found).st_mode
        if stat.S_ISDIR(mode):
            inside = "" if not pure.parts else f"{pure}/"
            return "\n".join(listed(found, MOST_LISTED, inside)) or "The folder is empty."
        if not stat.S_ISREG(mode):
            raise ToolFailure(f"{path}: it is not a file")
        return _text(found, path)
    finally:
        os.close(found)


def _text(descriptor: int, path: str) -> str:
    with os.fdopen(os.dup(descriptor), "rb") as file:
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ToolFailure(f"{path}: larger than {LARGEST // 1_000_000} MB")
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise ToolFailure(f"{path}: it is not text") from None


def listed(folder: int, most: int, inside: str = "") -> list[str]:
    """Returns the paths of at most `most` files below a folder, and a line that counts the rest.

    Each path begins with `inside`. Linked folders, hidden files and SKILL.md are left out.
    """
    found: list[str] = []
    more = 0
    for here, folders, files, _ in os.fwalk(".", dir_fd=folder, follow_symlinks=False):
        folders[:] = sorted(f for f in folders if not f.startswith((".", "__")))
        for name in sorted(files):
            path = os.path.normpath(f"{here}/{name}")
            if name.startswith(".") or path == "SKILL.md":
                continue
            more += len(found) == most
            if len(found) < most:
                found.append(inside + path)
        if more > _MOST_COUNTED:
            break
    return [*found, f"… and {more} more"] if more else found
