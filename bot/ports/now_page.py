"""Words and figures for pages about now, money and the record, all of them plain text."""

from typing import Literal, Protocol, TypeAlias

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways
from bot.ports.turn_page import Figure

Verb: TypeAlias = Literal["stop", "run", "pause", "resume"]
"""The name of a press on something that goes on, as commands have it."""

Kind: TypeAlias = Literal["turn", "tasks", "goals"]


@frozen
class NowOrder:
    """A command about something that goes on, and the chat in which it is given."""

    chat: int
    name: str
    words: tuple[str, ...]


@frozen
class RunLine:
    """An answer under way."""

    turn: str
    name: str
    """The chat."""
    below: str
    """The person, and that it is a helper."""
    doing: str
    since: str
    stops: bool = False
    """True when the reader can stop it."""


@frozen
class WaitLine:
    """Something that waits for a person."""

    id: str
    name: str
    below: str
    waits_for: str
    left: str
    seconds: int | None = None
    """The seconds that are left; None without an end."""


@frozen
class ChannelLine:
    name: str
    last: str
    """The time since the newest update."""
    owed: int
    """Messages that are not on their screens yet."""
    late: str
    """The time since the oldest of them; empty while none is late."""
    reached: bool | None
    """True while its platform is reached; None where another process listens to it."""


@frozen
class ModelLine:
    name: str
    away: str
    """Says that it does not answer; empty while it does."""
    calls: str
    cost: str


@frozen
class TaskLine:
    name: str
    below: str
    when: str
    last: str
    good: bool
    next: str
    id: str = ""
    verbs: tuple[Verb, ...] = ()


@frozen
class GoalLine:
    id: str
    name: str
    stands: str
    verbs: tuple[Verb, ...]


@frozen
class NowPage:
    summary: str
    runs: tuple[RunLine, ...]
    waits: tuple[WaitLine, ...]
    tasks: tuple[TaskLine, ...]
    goals: tuple[GoalLine, ...]
    channels: tuple[ChannelLine, ...] = ()
    """Owners alone see these and what follows."""
    models: tuple[ModelLine, ...] = ()
    today: str = ""
    """The money of today, with its budget."""
    hooks: tuple[str, ...] = ()
    program: tuple[Figure, ...] = ()
    cut: frozenset[str] = frozenset()
    """The lists that have more lines than are shown, by the names of their fields."""


class NowPages(Protocol):
    async def now(self, reader: Person) -> NowPage:
        """Returns what goes on: a person's own work, and for an owner everybody's."""
        ...

    async def order(self, reader: Person, kind: str, id: str, verb: str) -> NowOrder | None:
        """Returns the command behind a press; None where the reader may not give it."""
        ...


@frozen
class DayCost:
    """The cost of one stretch of time, and its share of the highest one."""

    day: str
    told: str
    share: float


@frozen
class CostRow:
    name: str
    cost: str
    calls: str
    tokens: str
    cached: str


@frozen
class MoneyPage:
    span: str
    by: str
    period: str
    """The period in words."""
    whole: str
    days: tuple[DayCost, ...]
    rows: tuple[CostRow, ...]
    notes: tuple[str, ...]
    budgets: tuple[Figure, ...]
    more: str = ""
    """The number of rows that are not shown, and their cost; empty where all are."""


class MoneyPages(Protocol):
    async def money(self, reader: Person, span: str, by: str) -> MoneyPage:
        """Returns a person's own costs, and for an owner everybody's."""
        ...


@frozen
class RecordRow:
    id: int
    at: str
    who: str
    action: str
    """Its name for programs."""
    subject: str
    place: str
    details: str
    """The facts beside it as programs read them."""
    chat: int | None = None
    did: str = ""
    """The action in words."""
    facts: str = ""
    """The facts in words."""
    turn: str = ""
    """The turn that it is about; empty where that is gone, or there is none."""
    title: str = ""
    """The message that this turn answered; empty for any other beginning."""


@frozen
class RecordChoice:
    """Chooses lines of the record; an empty value chooses all."""

    person: int | None = None
    chat: int | None = None
    action: str = ""
    """The beginning of the action."""
    since: str = ""
    """The first day, as in 2026-11-28, by the reader's clock."""
    until: str = ""
    """The last day."""


@frozen
class RecordPage:
    rows: tuple[RecordRow, ...]
    ways: Ways[int]
    """The ways to newer and to older lines, of which there may be some."""
    people: tuple[tuple[int, str], ...] = ()
    """The people to choose from."""
    place: str = ""
    """The chosen chat."""
    actions: tuple[tuple[str, str], ...] = ()
    """The actions to choose from, each with its words."""


class RecordReading(Protocol):
    async def record(
        self, reader: Person, choice: RecordChoice, place: ListPlace[int] | None, most: int
    ) -> RecordPage | None:
        """Returns a part of the permanent record; None for anyone but an owner."""
        ...
