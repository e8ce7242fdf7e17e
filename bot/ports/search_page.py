"""Earlier answers that a search in a person's own conversations finds."""

from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways


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
    ways: Ways[int] = Ways()


class SearchPages(Protocol):
    async def said(self, reader: Person, words: str, place: ListPlace[int] | None) -> SaidPage:
        """Returns what fits these words best, of what the reader and nobody else said.

        The key of a hit is its rank.
        """
        ...
