"""Words and figures for pages about now, money and the record, all of them plain text."""

from typing import Protocol

from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.turn_page import Figure


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


@frozen
class WaitLine:
    """Something that waits for a person."""

    id: str
    name: str
    below: str
    waits_for: str
    left: str


@frozen
class ChannelLine:
    name: str
    last: str
    """The time since the newest update."""
    owed: int
    """Messages that are not on their screens yet."""
    late: str
    """The time since the oldest of them; empty while none is late."""


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


@frozen
class NowPage:
    summary: str
    runs: tuple[RunLine, ...]
    waits: tuple[WaitLine, ...]
    tasks: tuple[TaskLine, ...]
    goals: tuple[str, ...]
    channels: tuple[ChannelLine, ...] = ()
    """Owners alone see these and what follows."""
    models: tuple[ModelLine, ...] = ()
    today: str = ""
    """The money of today, with its budget."""
    hooks: tuple[str, ...] = ()
    program: tuple[Figure, ...] = ()


class NowPages(Protocol):
    async def now(self, reader: Person) -> NowPage:
        """Returns what goes on: a person's own work, and for an owner everybody's."""
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
    subject: str
    place: str
    details: str


@frozen
class RecordPage:
    rows: tuple[RecordRow, ...]
    older: int | None
    """The number below which there are more lines; None at the beginning."""


class RecordReading(Protocol):
    async def record(
        self, reader: Person, person: int | None, action: str, before: int | None
    ) -> RecordPage | None:
        """Returns a part of the permanent record; None for anyone but an owner."""
        ...
