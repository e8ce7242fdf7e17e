"""Changes of files that can be taken back: their rows, and the door to the files."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.talk.message import Block
from bot.domain.tools.file_change import FileChange
from bot.domain.value import frozen


@frozen
class KeptSize:
    """The bytes that one row keeps."""

    id: str
    chat: int
    bytes: int


class FileChanges(Protocol):
    async def get(self, id: str) -> FileChange | None:
        """Returns a change; None when it is not kept any more."""
        ...

    async def of_task(self, turn: str) -> Sequence[FileChange]:
        """Returns the changes of a turn and of its errands, the newest first."""
        ...

    async def asked_by(self, turn: str) -> Sequence[FileChange]:
        """Returns the changes that this turn shall take back, or did, the newest first."""
        ...

    async def newest_task(self, chat: int) -> str | None:
        """Returns the turn with the newest change of a chat that is not undone."""
        ...


class KeptContents(Protocol):
    """Old contents that are kept, as long as there is room."""

    async def get(self, id: str) -> FileChange | None: ...

    async def due(self, before: datetime, limit: int) -> Sequence[FileChange]:
        """Returns changes from before a time, the oldest first."""
        ...

    async def sizes(self) -> Sequence[KeptSize]:
        """Returns what is kept, the newest first."""
        ...


class WholeFileChanges(FileChanges, KeptContents, Protocol):
    """All of these, as the store has them."""


@frozen
class PresentFile:
    """A file as it is now; no content when it is missing, or too large to be kept."""

    token: str
    size: int
    mode: int
    content: bytes | None
    kept: bool
    """False when it is too large to be kept."""


class WorkspaceDoor(Protocol):
    """The guarded way to files of a workspace; `look` and `put` raise ToolFailure."""

    def told(self, now: PresentFile, then: bytes | None) -> tuple[Block, ...]:
        """Returns the difference between a file as it is and as it would be."""
        ...

    async def look(self, root: str, path: str) -> PresentFile:
        """Returns a file as it is now."""
        ...

    async def put(self, root: str, path: str, content: bytes | None, mode: int, seen: str) -> None:
        """Puts a content there, or removes the file, if its token is still the seen one."""
        ...
