"""Words and figures for the page about the memory, all of them plain text."""

from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways
from bot.ports.records import RowKey


@frozen
class NoteLine:
    id: str
    """Names these very words: changed ones have another id."""
    text: str
    at: str


@frozen
class RecalledLine:
    """A passage that a search found, and why."""

    id: str
    question: str
    """Empty for a note."""
    answer: str
    at: str
    place: str
    """The chat that it was said in."""
    outside: str
    """The source of text from outside that the model saw; empty without one."""
    told: bool
    """True when a message with these words would bring it along."""
    verdict: str
    """Says why it would, or why not."""
    score: str
    """Its score in the search by words; empty where it was not found so."""
    why: tuple[str, ...]
    """The parts of that, and what its meaning counts, each in a sentence."""


@frozen
class MemoryPage:
    notes: tuple[NoteLine, ...]
    ways: Ways[RowKey]
    """The ways to the other notes."""
    condition: str
    asked: str
    """The words of the search, as it took them."""
    found: tuple[RecalledLine, ...]


@frozen
class Erasable:
    """Something that can be erased, with the command that erases it."""

    words: str
    command: tuple[str, ...]


@frozen
class Reworded:
    """The result of new words for a note."""

    why: str = ""
    """The reason why nothing was changed; empty for a change."""
    note: str = ""
    """The id of the note with its new words."""
    now: str = ""
    before: str = ""
    """The words that it had before, for the person who had written them."""


class MemoryPages(Protocol):
    """A person's own memory, and nobody else's."""

    async def memory(
        self, reader: Person, words: str, place: ListPlace[RowKey] | None
    ) -> MemoryPage:
        """Returns a part of the notes, and all that a search with these words finds."""
        ...

    async def erasable(self, reader: Person, id: str) -> Erasable | None:
        """Returns one note or answer to ask about, and everything for the id `all`."""
        ...

    async def reword(self, reader: Person, chat: int, note: str, words: str) -> Reworded:
        """Changes the words of a note."""
        ...
