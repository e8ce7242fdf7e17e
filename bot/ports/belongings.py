"""Everything that was said with somebody, and the way to hand it over as one file."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from bot.domain.assignments.errand import CHANNEL
from bot.domain.memory.passage import Passage, Whose
from bot.domain.talk.message import Address, FileRef
from bot.domain.value import frozen


@frozen
class Talk:
    """A conversation of somebody, and the place where it happened."""

    place: str
    conversation: str

    @property
    def of_errand(self) -> bool:
        """Returns True for the talk of an errand, in which no person spoke."""
        return Address.from_key(self.place).channel == CHANNEL


@frozen
class Page:
    """A part of an export: the same words as lines of JSON and as Markdown."""

    lines: str
    markdown: str


class Belongings(Protocol):
    async def talks(self, whose: Whose) -> Sequence[Talk]:
        """Returns every conversation of a person's private chats or of a group, oldest first.

        Those of errands that were sent out there are among them.
        """
        ...

    async def imported(self, whose: Whose, after: int, limit: int) -> Sequence[Passage]:
        """Returns answers that were imported for somebody, behind the one with this number."""
        ...


class Packing(Protocol):
    async def pack(
        self, key: str, name: str, pages: AsyncIterator[Page], most: int
    ) -> FileRef | None:
        """Packs pages into a file of this name, without its ending; the same key replaces it.

        None above `most` bytes of text.

        Raises ToolFailure when the file cannot be written.
        """
        ...
