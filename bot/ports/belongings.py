"""Everything that was said with somebody, and the way to hand it over as one file."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.domain.message import FileRef
from bot.domain.passage import Whose


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation of somebody, and the place where it happened."""

    place: str
    conversation: str


@dataclass(frozen=True, slots=True)
class Page:
    """A part of an export: the same words as lines of JSON and as Markdown."""

    lines: str
    markdown: str


class Belongings(Protocol):
    async def talks(self, whose: Whose) -> Sequence[Talk]:
        """Returns every conversation of a person's private chats or of a group, oldest first."""
        ...


class Packing(Protocol):
    async def pack(self, key: str, pages: AsyncIterator[Page], most: int) -> FileRef | None:
        """Packs pages into a file; the same key replaces it. None above `most` bytes of text.

        Raises ToolFailure when the file cannot be written.
        """
        ...
