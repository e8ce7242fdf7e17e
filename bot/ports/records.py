"""The rows behind pages: what turns left, cards of all chats, and the permanent record in parts."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from bot.domain.assignments.errand import Errand
from bot.domain.assignments.task import TimedTask
from bot.domain.consent.approval import Approval, ApprovalState, Rule
from bot.domain.money.budget import CallKind
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.plans.plan import Plan
from bot.domain.talk.message import Address, OutboundKind
from bot.domain.turn.transcript import Entry
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
from bot.ports.listed import ListPlace, Ways
from bot.ports.outbox import DeliveryState


@frozen
class RoundRecord:
    """The record of one call of the model, as the loop wrote it with the reply."""

    round: int
    at: datetime
    details: Mapping[str, Any]


@frozen
class PaidCall:
    """A paid call; `at` is when it began."""

    call: str
    at: datetime
    model: str
    kind: CallKind
    usage: Usage
    cost: Nano | None
    """Its price; None when no price is known."""
    estimated: bool


@frozen
class ShownRow:
    """A visible message about a turn, without its words."""

    key: str
    address: Address
    kind: OutboundKind
    created_at: datetime
    recorded_at: datetime | None
    """The time its newest version was on the screen; None before, and in old rows."""
    state: DeliveryState


@frozen
class Arrived:
    """A message that a turn took: its channel and its arrival."""

    channel: str
    at: datetime


@frozen
class TurnRecord:
    """Everything that the rows beside the log tell of one turn, each part in order."""

    rounds: tuple[RoundRecord, ...] = ()
    paid: tuple[PaidCall, ...] = ()
    shown: tuple[ShownRow, ...] = ()
    errands: tuple[Errand, ...] = ()
    arrived: tuple[Arrived, ...] = ()


@frozen
class RowKey:
    """The place of a row in a list by time: where the next part of the list begins."""

    at: datetime
    id: str
    position: int = 0
    """The place of a card among those that were asked together."""


@frozen
class Decided:
    """A decision on a card or a plan, in the few values that a measure needs."""

    by: int | None
    name: str
    """The name of the person who decided; empty when nobody did."""
    state: ApprovalState
    since: datetime
    """The time it was shown, or opened where that is not known."""
    at: datetime


@frozen
class OwedCount:
    """The messages of a channel that are not on their screens yet."""

    channel: str
    owed: int
    since: datetime


@frozen
class RecordLine:
    """A line of the permanent record with its number."""

    id: int
    at: datetime
    chat: int | None
    person: int | None
    action: str
    subject: str
    details: Mapping[str, Any]


@frozen
class RecordFilter:
    """Chooses lines of the record: those of a chat, of a person, or of actions that begin so."""

    chat: int | None = None
    person: int | None = None
    action: str = ""
    since: datetime | None = None
    until: datetime | None = None
    """The moment before which they were written."""
    plans: bool = False
    """True for lines that show plans or decide on them, and for no others."""
    planner: int | None = None
    """Leaves lines of chats in which this person has asked for a plan."""


@frozen
class FoundLines:
    """A part of the record, the newest line first."""

    lines: tuple[RecordLine, ...]
    ways: Ways[int] = Ways()
    """The numbers from which the search goes on; None where nothing is left."""


@frozen
class TurnLog:
    """The part of a conversation around a turn, in order."""

    entries: tuple[Entry, ...]
    """At most 600 entries before it, its own, and 200 behind it."""
    older: tuple[Entry, ...] = ()
    """Entries below a number that was asked for, where it lies before all these."""
    whole: bool = True
    """True when nothing lies before the first of `entries`."""


class TurnRecords(Protocol):
    async def of_turn(self, turn: str) -> TurnRecord: ...

    async def log(self, turn: Turn, below: int | None) -> TurnLog:
        """Returns the log around a turn, and the entries just below a number."""
        ...

    async def began(self, since: datetime, until: datetime) -> Sequence[datetime]:
        """Returns the starts of the program between two moments, at most 100, oldest first."""
        ...

    async def taken_up(self, chat: int, since: datetime) -> Sequence[RecordLine]:
        """Returns the lines about answers of a chat that went on in another life of the program.

        They are those since a moment, oldest first, and at most the newest 100.
        """
        ...

    async def skills_used(self, asker: int | None, limit: int) -> Mapping[str, datetime]:
        """Returns the last use of each skill among so many newest calls of models."""
        ...


class CardRecords(Protocol):
    """Cards and plans of all chats; of one asker, or of everybody when `asker` is None."""

    async def open(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Approval]:
        """Returns open cards at a place, oldest first."""
        ...

    async def decided(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Approval]:
        """Returns ended cards at a place, those that ended last first."""
        ...

    async def decisions(self, asker: int | None, since: datetime, limit: int) -> Sequence[Decided]:
        """Returns how cards ended since a moment, newest first."""
        ...

    async def requests(self, asker: int | None, since: datetime, until: datetime) -> int:
        """Returns the number of messages of people that turns answered between two moments."""
        ...

    async def plans(
        self, asker: int | None, place: ListPlace[RowKey] | None, limit: int
    ) -> Sequence[Plan]:
        """Returns live plans that wait for a person at a place, oldest first.

        A plan stands before the cards of its moment that are not the first ones of theirs.
        """
        ...


class WorkRecords(Protocol):
    async def at_work(self, asker: int | None, limit: int) -> Sequence[Turn]:
        """Returns unsettled turns that wait for no person, of one asker or of all, oldest first."""
        ...

    async def owed(self) -> Sequence[OwedCount]:
        """Returns a count for each channel with owed messages."""
        ...

    async def heard_from(self) -> Mapping[str, datetime]:
        """Returns the arrival of the newest update of each channel, among the newest 2,000."""
        ...

    async def waiting(self, limit: int) -> Mapping[int, int]:
        """Returns the number of waiting messages of each chat that has some."""
        ...


class TaskRecords(Protocol):
    """Tasks of one person, or of everybody when `asker` is None."""

    async def tasks(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        """Returns active tasks of one person or of everybody, the one that is due next first.

        Those that give a goal its pace are left out.
        """
        ...

    async def paused(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        """Returns paused tasks, the oldest first; those of goals are left out, too."""
        ...


class RecordPages(Protocol):
    async def lines(
        self, chosen: RecordFilter, place: ListPlace[int] | None, limit: int
    ) -> FoundLines:
        """Returns lines of the permanent record at a place, newest first.

        One call looks at 50,000 numbers at most, so it may find fewer although some are left.
        """
        ...

    async def admitted(self, accounts: Collection[str]) -> Mapping[str, RecordLine]:
        """Returns the newest line about the way in of each account, where there is one."""
        ...


class RuleRecords(Protocol):
    """Standing rules of all chats; of one person, or of everybody when `person` is None."""

    async def rules(
        self, person: int | None, place: ListPlace[int] | None, limit: int
    ) -> Sequence[Rule]:
        """Returns rules at a place, oldest first."""
        ...


class Records(
    TurnRecords, CardRecords, WorkRecords, TaskRecords, RecordPages, RuleRecords, Protocol
):
    """All of these, as the store has them."""
