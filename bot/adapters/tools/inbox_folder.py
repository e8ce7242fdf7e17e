"""Keeps the files that people send in the folder `inbox/` of their workspaces."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from bot.adapters.tools.thread_work import StopSign, in_thread
from bot.adapters.tools.workspace import Workspace, reason_of
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.file_name import numbered
from bot.domain.talk.limits import InboxBounds
from bot.domain.talk.received import INBOX, ReceivedFile
from bot.domain.text.visible_text import size
from bot.domain.value import frozen

_PART = ".part-"
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MODE = 0o600


@frozen
class _Content:
    files: frozenset[str]
    """The names, in one form of upper and lower case."""
    bytes: int


class WorkspaceInbox:
    """The port `InboxFolder`; a folder that is full, missing or a link is told in one sentence."""

    def __init__(self, bounds: InboxBounds) -> None:
        self._bounds = bounds

    async def content(self, file: ReceivedFile) -> bytes | None:
        return await in_thread(lambda _: self._content(file))

    async def free(self, workspace: Path, name: str, size: int) -> str:
        return await in_thread(lambda sign: self._free(workspace, name, size, sign))

    async def keep(self, file: ReceivedFile, data: bytes) -> bool:
        return await in_thread(lambda _: self._keep(file, data))

    async def discard(self, file: ReceivedFile) -> None:
        await in_thread(lambda _: self._discard(file))

    def _content(self, file: ReceivedFile) -> bytes | None:
        try:
            with _opened(Path(file.folder), create=False) as inbox:
                _drop_part(inbox, file)
            workspace = Workspace(Path(file.folder))
            data = workspace.read(workspace.names(file.path), max(file.size, 1))
        except ToolFailure:
            return None
        return data if hashlib.sha256(data).hexdigest() == file.digest else None

    def _free(self, workspace: Path, name: str, length: int, sign: StopSign) -> str:
        with _opened(workspace) as inbox:
            there = _look(inbox, self._bounds.files, sign)
        if len(there.files) >= self._bounds.files:
            raise ToolFailure(f"{INBOX}/ is full: it holds {self._bounds.files} files")
        if there.bytes + length > self._bounds.bytes:
            raise ToolFailure(f"{INBOX}/ is full: it may hold {size(self._bounds.bytes)}")
        found = next(one for one in numbered(name) if one.casefold() not in there.files)
        return f"{INBOX}/{found}"

    def _keep(self, file: ReceivedFile, data: bytes) -> bool:
        """Writes beside the final name and gives the file its name last, in one step."""
        name, part = file.path.rpartition("/")[2], _part_of(file)
        with _opened(Path(file.folder)) as inbox:
            _drop_part(inbox, file)
            try:
                with _told():
                    _write(inbox, part, data)
                    _name(inbox, part, name)
                    os.fsync(inbox)
            except FileExistsError:
                return False
            finally:
                _drop_part(inbox, file)
        return True

    def _discard(self, file: ReceivedFile) -> None:
        names = Workspace(Path(file.folder)).names(file.path)
        if self._content(file) is None:
            return
        with (
            _opened(Path(file.folder), create=False) as inbox,
            suppress(FileNotFoundError),
            _told(),
        ):
            os.unlink(names[-1], dir_fd=inbox)


@contextmanager
def _opened(workspace: Path, *, create: bool = True) -> Iterator[int]:
    with Workspace(workspace).folder((INBOX,), create=create) as inbox:
        yield inbox


def _look(inbox: int, most: int, sign: StopSign) -> _Content:
    """Returns the names and the bytes in the folder, as far as it may be filled."""
    names: set[str] = set()
    total = 0
    with _told(), os.scandir(inbox) as entries:
        for entry in islice(entries, most + 1):
            sign.heed()
            names.add(entry.name.casefold())
            with suppress(FileNotFoundError):
                total += entry.stat(follow_symlinks=False).st_size
    return _Content(frozenset(names), total)


def _part_of(file: ReceivedFile) -> str:
    """Returns the name of the unfinished file: the same one after a crash."""
    return f"{_PART}{hashlib.sha256(f'{file.chat}:{file.key}'.encode()).hexdigest()[:16]}"


def _drop_part(inbox: int, file: ReceivedFile) -> None:
    with suppress(OSError):
        os.unlink(_part_of(file), dir_fd=inbox)


def _write(inbox: int, name: str, data: bytes) -> None:
    descriptor = os.open(name, _NEW, _MODE, dir_fd=inbox)
    with os.fdopen(descriptor, "wb") as part:
        part.write(data)
        part.flush()
        os.fsync(part.fileno())


def _name(inbox: int, part: str, name: str) -> None:
    """Gives a finished file its name; raises FileExistsError when another file has it."""
    try:
        os.link(part, name, src_dir_fd=inbox, dst_dir_fd=inbox, follow_symlinks=False)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems know no second name: look, then rename.
        with suppress(FileNotFoundError):
            os.stat(name, dir_fd=inbox, follow_symlinks=False)
            raise FileExistsError from None
        os.rename(part, name, src_dir_fd=inbox, dst_dir_fd=inbox)


@contextmanager
def _told() -> Iterator[None]:
    """Turns faults of the system into a sentence, except that a name is taken or gone."""
    try:
        yield
    except (FileExistsError, FileNotFoundError):
        raise
    except OSError as fault:
        raise ToolFailure(f"{INBOX}/: {reason_of(fault)}") from fault
