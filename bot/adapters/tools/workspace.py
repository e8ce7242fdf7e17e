"""Files below one folder, opened step by step so that no path, link or race leads outside."""

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from bot.domain.talk.errors import ToolFailure
from bot.domain.text.visible_text import shown_name
from bot.domain.tools.file_change import ABSENT, token_of
from bot.domain.value import frozen

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_HASHED = 16_000_000
_CHUNK = 1 << 18
_LONGEST_PATH = 4_096
"""Characters of a path: cards and lists show it whole, on one line."""

_SHOWN = 100

_FAULTS = {
    errno.ENOENT: "there is no such file or folder",
    errno.ENOTDIR: "a part of the path is not a folder, or is a link (links are not followed)",
    errno.ELOOP: "it is a link; links are not followed",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "the system refuses access",
    errno.EPERM: "the system refuses access",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EROFS: "the file system is read-only",
    errno.ENXIO: "it is not a regular file",
}


@frozen
class FileState:
    """A regular file as it is: size in bytes, permission bits, and a token of its content."""

    size: int
    mode: int
    token: str


@frozen
class KeptFile:
    """A file and its content; no content when that is too large, or changes just now."""

    state: FileState
    content: bytes | None


class Workspace:
    """One folder and the files below it.

    Every step of a path is opened from the one before without following links, so a swapped folder
    cannot lead outside. A file with a second hard link is refused too, because its other name may
    lie anywhere. All methods block, and raise faults as ToolFailure.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self, path: str) -> tuple[str, ...]:
        """Returns the steps of a path below the workspace; an absolute one must begin with it."""
        if len(path) > _LONGEST_PATH:
            raise ToolFailure(f"{shown_name(path[:_SHOWN])}…: the path is too long")
        pure = PurePosixPath(path)
        if pure.is_absolute():
            if not pure.is_relative_to(self._root):
                raise ToolFailure(f"{shown_name(path)}: outside the workspace")
            pure = pure.relative_to(self._root)
        if ".." in pure.parts:
            raise ToolFailure(f"{shown_name(path)}: a path may not contain “..”")
        return pure.parts

    @contextmanager
    def folder(self, names: Sequence[str], *, create: bool = False) -> Iterator[int]:
        """Opens a folder; with `create` a missing one is made, but never the workspace itself."""
        with _faults(str(self._root)):
            current = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for count, name in enumerate(names, 1):
                with _faults("/".join(names[:count])):
                    inner = _step(current, name, create=create)
                os.close(current)
                current = inner
            yield current
        finally:
            os.close(current)

    def is_folder(self, names: Sequence[str]) -> bool:
        if not names:
            return True
        with self.folder(names[:-1]) as parent, _faults("/".join(names)):
            found = os.stat(names[-1], dir_fd=parent, follow_symlinks=False)
        return stat.S_ISDIR(found.st_mode)

    @contextmanager
    def opened(self, names: Sequence[str]) -> Iterator[tuple[int, os.stat_result]]:
        """Opens a regular file for reading; yields it with its status."""
        with self.folder(_above(names)) as parent, open_regular(parent, names) as opened:
            yield opened

    def state(self, names: Sequence[str]) -> FileState | None:
        """Returns the state of a file; None when there is none."""
        try:
            with self.folder(_above(names)) as parent:
                return _state(parent, names)
        except ToolFailure as fault:
            if isinstance(fault.__cause__, FileNotFoundError):
                return None
            raise

    def read(self, names: Sequence[str], limit: int) -> bytes:
        """Returns the whole content of a file of at most `limit` bytes."""
        with self.opened(names) as (descriptor, found):
            if found.st_size <= limit:
                content = b"".join(_chunks(descriptor, limit + 1))
                if len(content) <= limit:
                    return content
        raise ToolFailure(f"{_shown(names)}: larger than {limit // 1_000_000} MB")

    def kept(self, names: Sequence[str], most: int) -> "KeptFile | None":
        """Returns a file with its content, as far as that has at most so many bytes.

        None when there is no file.
        """
        state = self.state(names)
        if state is None or state.size > min(most, _HASHED):
            return None if state is None else KeptFile(state, None)
        with self.opened(names) as (descriptor, _):
            content = b"".join(_chunks(descriptor, most + 1))
        return KeptFile(state, content if token_of(content) == state.token else None)

    def write(
        self,
        names: Sequence[str],
        content: bytes,
        seen: str | None = None,
        heed: Callable[[], None] = lambda: None,
        mode: int | None = None,
    ) -> None:
        """Replaces the content in one step, and keeps the mode of the old file.

        With `seen` nothing is written when the file's token has changed. `heed` is called for the
        last time just before the change. A file that was not there gets the `mode`.
        """
        if any(shown_name(name) != name for name in names):
            raise ToolFailure(f"{_shown(names)}: the name holds control characters")
        with self.folder(_above(names), create=True) as parent:
            old = _state(parent, names)
            spare = f".{secrets.token_hex(8)}.part"
            try:
                with _faults(_shown(names)):
                    _write_new(parent, spare, content, mode if old is None else old.mode)
                _agree(_state(parent, names), seen, names)
                heed()
                with _faults(_shown(names)):
                    os.rename(spare, names[-1], src_dir_fd=parent, dst_dir_fd=parent)
                    os.fsync(parent)
            except BaseException:
                with suppress(FileNotFoundError):
                    os.unlink(spare, dir_fd=parent)
                raise

    def delete(self, names: Sequence[str], seen: str | None = None) -> None:
        """Removes a file; with `seen` only when its token is still the same."""
        with self.folder(_above(names)) as parent:
            found = _state(parent, names)
            if found is None:
                raise ToolFailure(f"{_shown(names)}: there is no such file")
            _agree(found, seen, names)
            with _faults(_shown(names)):
                os.unlink(names[-1], dir_fd=parent)
                os.fsync(parent)


def located(folder: Path, path: str) -> tuple[Workspace, tuple[str, ...]]:
    """Returns the workspace in a folder, and the steps of a path below it."""
    workspace = Workspace(folder)
    return workspace, workspace.names(path)


@contextmanager
def open_regular(parent: int, names: Sequence[str]) -> Iterator[tuple[int, os.stat_result]]:
    """Opens the last of `names` in a folder if it is a regular file with one name."""
    with _faults(_shown(names)):
        before = os.stat(names[-1], dir_fd=parent, follow_symlinks=False)
        _must_be_plain(before, names)
        descriptor = os.open(names[-1], _FILE, dir_fd=parent)
    try:
        found = os.fstat(descriptor)
        _must_be_plain(found, names)
        yield descriptor, found
    finally:
        os.close(descriptor)


def _above(names: Sequence[str]) -> Sequence[str]:
    if not names:
        raise ToolFailure("the path names the workspace itself, not a file in it")
    return names[:-1]


def _step(parent: int, name: str, *, create: bool) -> int:
    if create:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)


def _must_be_plain(found: os.stat_result, names: Sequence[str]) -> None:
    if stat.S_ISDIR(found.st_mode):
        raise ToolFailure(f"{_shown(names)}: it is a folder, not a file")
    if stat.S_ISLNK(found.st_mode):
        raise ToolFailure(f"{_shown(names)}: it is a link; links are not followed")
    if not stat.S_ISREG(found.st_mode):
        raise ToolFailure(f"{_shown(names)}: it is not a regular file")
    if found.st_nlink > 1:
        raise ToolFailure(
            f"{_shown(names)}: it has a second name (a hard link), which may lie outside"
        )


def _state(parent: int, names: Sequence[str]) -> FileState | None:
    try:
        with open_regular(parent, names) as (descriptor, found):
            mode = stat.S_IMODE(found.st_mode)
            return FileState(found.st_size, mode, _token(descriptor, found))
    except ToolFailure as fault:
        if isinstance(fault.__cause__, FileNotFoundError):
            return None
        raise


def _token(descriptor: int, found: os.stat_result) -> str:
    """Returns a digest of the content; for a large file its identity and time of change."""
    if found.st_size > _HASHED:
        return f"{found.st_ino}:{found.st_size}:{found.st_mtime_ns}"
    digest = hashlib.sha256()
    for chunk in _chunks(descriptor, _HASHED):
        digest.update(chunk)
    return digest.hexdigest()


def _agree(found: FileState | None, seen: str | None, names: Sequence[str]) -> None:
    if seen is not None and seen != (ABSENT if found is None else found.token):
        raise ToolFailure(f"{_shown(names)}: it has changed since it was shown; look at it again")


def _chunks(descriptor: int, most: int) -> Iterator[bytes]:
    while most > 0 and (chunk := os.read(descriptor, min(_CHUNK, most))):
        most -= len(chunk)
        yield chunk


def _write_new(parent: int, name: str, content: bytes, mode: int | None) -> None:
    descriptor = os.open(name, _NEW, 0o666, dir_fd=parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        if mode is not None:
            os.fchmod(file.fileno(), mode)
        file.flush()
        os.fsync(file.fileno())


def reason_of(fault: OSError) -> str:
    """Returns a fault of the system in plain words."""
    return _FAULTS.get(fault.errno or 0, fault.strerror or "it cannot be used")


def _shown(names: Sequence[str]) -> str:
    return shown_name("/".join(names)) or "."


@contextmanager
def _faults(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise ToolFailure(f"{shown_name(path)}: {reason_of(fault)}") from fault
    except ValueError as fault:
        raise ToolFailure(f"{shown_name(path)}: not a usable path") from fault
