"""Earlier answers that a search in a person's own conversations finds."""

from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen


@frozen
class SaidLine:
    """A question with its answer, as the search of the memory knows them."""

    turn: str
    chat: int
    question: str
    answer: str
    at: str
    place: str


@frozen
class SaidPage:
    lines: tuple[SaidLine, ...]
    after: str
    """The turn behind which there is more; empty at the end."""


class SearchPages(Protocol):
    async def said(self, reader: Person, words: str, after: str) -> SaidPage:
        """Returns what fits these words best, of what the reader and nobody else said."""
        ...
