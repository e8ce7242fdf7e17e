"""The places that a search in conversations leads to, as its page asks for them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen


@frozen
class FoundChat:
    """A conversation whose title has the words."""

    title: str
    href: str
    place: str
    at: datetime | None


class Finder(Protocol):
    async def titled(self, person: Person, words: str) -> Sequence[FoundChat]:
        """Returns a person's conversations whose titles have all these words, the newest first.

        Without words it returns the newest of all.
        """
        ...

    async def keys(self, person: Person) -> Mapping[int, str]:
        """Returns the names that the person's conversations have in addresses, by their numbers."""
        ...

    async def behind(self, chat: int, turn: str) -> str:
        """Returns the place behind a turn's answer in a chat; empty if the chat does not show it.

        A part of the chat that is read from there ends with the answer.
        """
        ...
