"""The messages owed to one chat, without the cards whose time is over."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bot.domain.talk.message import OutboundKind
from bot.flow.delivery.giving_up import GivingUp
from bot.flow.delivery.passing import Passing
from bot.flow.delivery.showing import vanishes
from bot.ports.clock import Clock
from bot.ports.outbox import MOST_OWED, Deliveries, OutboxRow

SHORTEST_WAIT = 0.1
_LATE_CARD = "not accepted in time"


@dataclass(slots=True, eq=False)
class OwedRows:
    """Reads what is owed to a chat, and gives up each card that is not shown in its time.

    The time of a card, `_card_life` seconds, starts when it could first be sent, because the
    program may have been off before. It is measured with the steady clock, because the time of day
    can be changed.
    """

    _chat: int
    _outbox: Deliveries
    _channels: Collection[str]
    _giving_up: GivingUp
    _clock: Clock
    _passing: Passing
    _card_life: float
    _woken_at: float | None
    look_again: bool = False
    more: bool = False
    """True when more may be owed than was read at the last look."""
    _asking_since: dict[int, float] = field(default_factory=dict[int, float])
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Notes that there may be more to deliver than at the last look."""
        self.look_again = True
        self._woken.set()
        if self._woken_at is None:
            self._woken_at = self._clock.steady()

    async def rows(self) -> Sequence[OutboxRow]:
        """Returns the rows to deliver now; none while the chat's channel is not open."""
        self.look_again = False
        self._woken.clear()
        since = self._clock.steady() if self._woken_at is None else self._woken_at
        self._woken_at = None
        # Rows that vanish go last: a placeholder stays until the answer is on the screen.
        first = await self.first()
        self.more = len(first) == MOST_OWED
        rows = sorted(filter(self._is_due, first), key=vanishes)
        if not rows or rows[0].address.channel not in self._channels:
            return ()
        asking = [row for row in rows if _asks(row)]
        for row in asking:
            self._asking_since.setdefault(row.id, since)
        late = [row for row in asking if self._end_of(row) <= self._clock.steady()]
        for row in late:
            await self._giving_up.give_up(row, _LATE_CARD)
        return rows if not late else await self.rows()

    def _is_due(self, row: OutboxRow) -> bool:
        """Returns False for a growing message that is being sent: its end wakes the delivery."""
        stray = row.content.kind is OutboundKind.STRAY
        return not stray or not self._passing.strays.under_way(row.about)

    async def first(self, after: int = 0) -> Sequence[OutboxRow]:
        """Returns the first owed rows after one, whether they can be delivered or not."""
        return await self._outbox.owed(self._chat, after)

    async def woken(self, seconds: float) -> None:
        """Waits until there may be more to deliver, at most so many seconds."""
        await self._clock.until(self._woken, seconds)

    async def wait(self, seconds: float) -> None:
        """Waits, and gives up each card whose time ends meanwhile."""
        until = self._clock.steady() + seconds
        while (left := until - self._clock.steady()) > 0:
            ends = [self._end_of(row) for row in await self.rows() if _asks(row)]
            now = self._clock.steady()
            soonest = min(ends, default=now + self._card_life)
            await self._clock.sleep(min(left, max(soonest - now, SHORTEST_WAIT)))

    def _end_of(self, card: OutboxRow) -> float:
        """Returns the moment at which a card is given up."""
        return self._asking_since[card.id] + self._card_life


def _asks(row: OutboxRow) -> bool:
    """Returns True for a card with buttons that has never been on the screen."""
    content = row.content
    return content.kind is OutboundKind.CARD and bool(content.buttons) and not row.shown_version
