"""Files that people sent: the record of them, and the folder that they lie in."""

from collections.abc import Collection, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.domain.talk.received import ReceivedFile


class Received(Protocol):
    """The record of the files that were kept."""

    async def get(self, chat: int, key: str) -> ReceivedFile | None: ...

    async def due(self, before: datetime, after: int, limit: int) -> Sequence[ReceivedFile]:
        """Returns files kept before a time and not swept, by number, from above `after` on."""
        ...

    async def digests(self, sizes: Collection[int]) -> Collection[tuple[int, str]]:
        """Returns the sizes and digests of files that anybody ever sent, of these sizes alone."""
        ...

    async def in_use(self) -> Sequence[tuple[int, int]]:
        """Returns chats and persons with open work there: turns, cards, plans, messages."""
        ...


class InboxFolder(Protocol):
    """The folder `inbox/` of workspaces; every fault is a ToolFailure that says what is wrong."""

    async def content(self, file: ReceivedFile) -> bytes | None:
        """Returns the content of a kept file; None when it is not there or not the same."""
        ...

    async def free(self, workspace: Path, name: str, size: int) -> str:
        """Returns the path for a new file: the name, or the next one with a number behind it."""
        ...

    async def keep(self, file: ReceivedFile, data: bytes) -> bool:
        """Writes a file at its path; False when another file has that name meanwhile.

        Repeated after a crash it leaves one file.
        """
        ...

    async def discard(self, file: ReceivedFile) -> None:
        """Deletes a file that is still as it was sent; one that was changed stays."""
        ...
