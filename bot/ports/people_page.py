"""People on a page: who may use the bot, what each may do, and how they came in."""

from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways


@frozen
class RightsNow:
    """The rights of a member in the words of `/rights`, as a form begins with them."""

    approve: str
    commands: str
    tools: str
    pace: str


@frozen
class PersonLine:
    name: str
    role: str
    you: bool
    accounts: tuple[str, ...]
    may: str
    """Their rights, in words."""
    came: str
    """When they came in, and who let them in; empty where nothing is on record."""
    seen: str
    """The time of their newest message."""
    browsers: tuple[str, ...]
    """The browsers in which they are signed in, each with its last visit."""
    rights: RightsNow | None = None
    """Rights that can be changed; None for an owner."""


@frozen
class PeoplePage:
    people: tuple[PersonLine, ...]
    count: int
    first: int = 1
    """The place of the first of them in the whole list."""
    ways: Ways[int] = Ways()


class PeoplePages(Protocol):
    async def people(self, reader: Person, place: ListPlace[int] | None) -> PeoplePage | None:
        """Returns people at a place of the list; None for anyone but an owner."""
        ...
