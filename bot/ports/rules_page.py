"""Standing rules on a page: what each lets run, and those that a decided card would give."""

from typing import Protocol

from bot.domain.talk.message import Block
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways


@frozen
class RuleLine:
    id: int
    what: str
    """The calls that it lets run, in words."""
    exact: str
    """All values of the only call that it lets run; empty for a wider rule."""
    limits: tuple[str, ...]
    """Further conditions, in words."""
    place: str
    whose: str
    made: str
    """When it was given, and by whom."""
    turn: str
    """The turn whose card it was given on; empty where a command gave it."""
    used: str
    last: str
    mine: bool
    """True when the reader can take it back."""


@frozen
class RulesPage:
    rules: tuple[RuleLine, ...]
    ways: Ways[int] = Ways()


@frozen
class RuleOffer:
    """A rule that a decided card offers, whole, before it counts."""

    card: str
    number: int
    """Its place among the rules of the card."""
    what: str
    place: str
    whose: str
    body: tuple[Block, ...]
    """The call as its card showed it."""
    stands: bool
    """True when a rule says so already."""


class RulePages(Protocol):
    async def rules(self, reader: Person, place: ListPlace[int] | None) -> RulesPage:
        """Returns a person's own rules, and for an owner everybody's."""
        ...

    async def chat_of(self, reader: Person, rule: int) -> int | None:
        """Returns the chat in which the reader has this rule; None for a foreign one."""
        ...

    async def offer(self, reader: Person, card: str, number: int) -> RuleOffer | None:
        """Returns a rule of an approved card; None where the reader may not give it."""
        ...

    async def give(self, reader: Person, card: str, number: int) -> bool:
        """Makes it count, once; False where the reader may not give it."""
        ...
