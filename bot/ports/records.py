"""The rows behind pages: what turns left, cards of all chats, and the permanent record in parts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from bot.domain.assignments.errand import Errand
from bot.domain.assignments.task import TimedTask
from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.money.budget import CallKind
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.plans.plan import Plan
from bot.domain.talk.message import Address, OutboundKind
from bot.domain.turn.turn import Turn
from bot.domain.value import frozen
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
    """A decision on a card, in the few values that a measure needs."""

    asker: int
    by: int | None
    name: str
    """The name of the person who decided; empty when nobody did."""
    state: ApprovalState
    since: datetime
    """The time the card was shown, or opened where that is not known."""
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


class TurnRecords(Protocol):
    async def of_turn(self, turn: str) -> TurnRecord: ...

    async def began(self, since: datetime, until: datetime) -> Sequence[datetime]:
        """Returns the starts of the program between two moments, at most 100, oldest first."""
        ...

    async def skills_used(self, asker: int | None, limit: int) -> Mapping[str, datetime]:
        """Returns the last use of each skill among so many newest requests of people."""
        ...


class CardRecords(Protocol):
    """Cards and plans of all chats; of one asker, or of everybody when `asker` is None."""

    async def open(self, asker: int | None, after: RowKey | None, limit: int) -> Sequence[Approval]:
        """Returns open cards, oldest first."""
        ...

    async def decided(
        self, asker: int | None, before: RowKey | None, limit: int
    ) -> Sequence[Approval]:
        """Returns ended cards, those that ended last first."""
        ...

    async def decisions(self, asker: int | None, since: datetime, limit: int) -> Sequence[Decided]:
        """Returns how cards ended since a moment, newest first."""
        ...

    async def requests(self, asker: int | None, since: datetime, until: datetime) -> int:
        """Returns the number of messages of people that turns answered between two moments."""
        ...

    async def plans(self, asker: int | None, limit: int) -> Sequence[Plan]:
        """Returns live plans that wait for a person, oldest first."""
        ...


class WorkRecords(Protocol):
    async def at_work(self, limit: int) -> Sequence[Turn]:
        """Returns the unsettled turns of all chats, oldest first."""
        ...

    async def owed(self) -> Sequence[OwedCount]:
        """Returns a count for each channel with owed messages."""
        ...

    async def heard_from(self) -> Mapping[str, datetime]:
        """Returns the arrival of the newest update of each channel, among the newest 2,000."""
        ...

    async def tasks(self, asker: int | None, limit: int) -> Sequence[TimedTask]:
        """Returns active tasks of one person or of everybody, the one that is due next first.

        Those that give a goal its pace are left out.
        """
        ...

    async def waiting(self, limit: int) -> Mapping[int, int]:
        """Returns the number of waiting messages of each chat that has some."""
        ...


class RecordPages(Protocol):
    async def lines(
        self, chosen: RecordFilter, before: int | None, limit: int
    ) -> Sequence[RecordLine]:
        """Returns lines of the permanent record with a number below `before`, newest first."""
        ...


class Records(TurnRecords, CardRecords, WorkRecords, RecordPages, Protocol):
    """All of these, as the store has them."""
