"""Cards in one place: those that wait for a person, the decided ones, and figures about consent."""

from datetime import datetime
from typing import Protocol

from bot.domain.talk.message import Address, Block, ButtonRows
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways
from bot.ports.records import RowKey
from bot.ports.turn_page import Reason


@frozen
class AskedCard:
    """The reasons and the end of an open card, or the person and the time of a decision."""

    reasons: tuple[Reason, ...] = ()
    until: datetime | None = None
    """The time after which it does not run; None for a card without an end."""
    by: str = ""
    """The person who decided it, or “you”; empty where nobody did."""
    at: datetime | None = None
    """The time of that decision."""


@frozen
class WaitingCard:
    """A card or a plan that waits for a decision of the reader."""

    id: str
    """Names the card or the plan."""
    chat: int
    """The chat that a press names."""
    key: str
    """The outbound key that a press names."""
    title: str
    """The change in one line; before a plan stands its sign."""
    body: tuple[Block, ...]
    """The whole of what a press allows."""
    about: str
    """Names the asker, the chat and the request."""
    reasons: tuple[Reason, ...]
    """The lines that tell why it asks."""
    buttons: ButtonRows
    """The buttons that the reader may press."""
    age: str
    """The time since it was opened, in words."""
    left: str
    """The time that is left; empty for a card without an end."""
    hints: tuple[str, ...]
    """Sentences below the buttons."""
    turn: str = ""
    """The turn that asks; empty for a plan."""
    seconds: int | None = None
    """The seconds that are left; None for a card without an end."""


@frozen
class DecidedCard:
    """A card that has ended."""

    title: str
    place: str
    how: str
    """Approved, denied, or what else became of it, with the words of the person."""
    approved: bool
    undecided: bool
    """True when no person decided."""
    by: str
    at: str
    after: str
    """The time from its showing to the press."""
    quick: bool
    """True for a press in under two seconds."""
    turn: str
    id: str = ""
    rules: tuple[int, ...] = ()
    """The places of its rules that the reader may still give."""
    chat: int = 0
    """The chat that asked."""


@frozen
class ConsentOf:
    """Figures about one person."""

    name: str
    cards: int
    median: str
    quick: int


@frozen
class SavingRule:
    """A standing rule that would have saved cards."""

    rule: str
    place: str
    told: str
    card: str = ""
    """The newest of these cards."""
    number: int = 0
    """The place of the rule on it."""


@frozen
class ConsentFigures:
    """Consent, measured over seven days; each figure with the one of the seven days before."""

    requests: int
    cards: int
    pressed: int
    each: str
    """Cards for each request."""
    each_before: str
    """Empty where there is nothing to compare, as below."""
    median: str
    median_before: str
    quick: int
    refused: int
    """Denied, or sent back with words."""
    columns: tuple[int, ...]
    """Presses in under 2 s, 2 to 5 s, 5 to 15 s, 15 to 60 s, 1 to 10 min, later."""
    people: tuple[ConsentOf, ...]
    rules: tuple[SavingRule, ...]
    bounded: bool = False
    """True when there are more cards than were counted."""


@frozen
class CardsPage:
    waiting: tuple[WaitingCard, ...]
    ways: Ways[RowKey]
    """The ways to the other open cards."""
    decided: tuple[DecidedCard, ...]
    decided_ways: Ways[RowKey]
    consent: ConsentFigures


@frozen
class StandingCard:
    """A message with the buttons of an open card, as a press or an answer to it needs it."""

    address: Address
    message_id: str
    """Empty until the platform has told it; nobody has to wait for that."""
    cited: str
    """The beginning of its words."""
    own: bool
    """True in the chat in which the reader asked for it."""
    asking: frozenset[str]
    """The data of its buttons that ask for words."""

    def takes(self, data: str, text: str) -> bool:
        """Tells if words may answer it: in a chat of somebody else only those that it asks for.

        There nobody gives an order in their own name.
        """
        return self.own or (data in self.asking and not text.lstrip().startswith("/"))


class CardPages(Protocol):
    async def waiting(self, reader: Person) -> int:
        """Returns the number of open cards and plans that a person may decide, at most 100."""
        ...

    async def cards(
        self,
        reader: Person,
        place: ListPlace[RowKey] | None = None,
        decided: ListPlace[RowKey] | None = None,
    ) -> CardsPage:
        """Returns what a person may see: their own cards, and an owner everybody's.

        `place` is one in the list of open cards, `decided` one in the list of decided ones.
        """
        ...

    async def asked(self, key: str, reader: Person) -> AskedCard:
        """Returns why the card of an outbound key asks, or who decided it."""
        ...

    async def standing(self, reader: Person, chat: int, key: str) -> StandingCard | None:
        """Returns the message of a card or a plan that waits for this person; None for others."""
        ...
