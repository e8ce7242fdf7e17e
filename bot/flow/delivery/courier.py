"""Delivers the owed messages of one chat in order, and pauses when the platform is blocked."""

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from bot.domain.errors import (
    ChannelUnreachable,
    ChatMoved,
    ContentRefused,
    FloodWait,
    RecipientGone,
    StoreError,
)
from bot.domain.message import OutboundKind, RawUpdate
from bot.flow.delivery.seats import Seats
from bot.flow.delivery.showing import Showing, vanishes
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.outbox import Delivered, DeliveryState, Outbox, OutboxRow

_LOG = logging.getLogger(__name__)

FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 60.0
MOST_TRIES = 5
"""Tries of a row whose fault is unexpected; network and store faults are tried without an end."""

_SHORTEST_WAIT = 0.1
_LATE_CARD = "not accepted in time"

GivenUp: TypeAlias = Callable[[OutboxRow, str], Awaitable[None]]
"""Takes a card that will never be on the screen, and the reason."""

ToldOfMove: TypeAlias = Callable[[str, RawUpdate], Awaitable[None]]
"""Takes the name of a channel and its update which says that a chat has a new address."""

Jitter: TypeAlias = Callable[[], float]
"""A number from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Means:
    """The parts that all couriers share."""

    outbox: Outbox
    channels: Mapping[str, Channel]
    clock: Clock
    given_up: GivenUp
    moved: ToldOfMove
    card_life: float
    jitter: Jitter
    seats: Seats


class Courier:
    """Delivers to one chat until nothing more is owed to it."""

    def __init__(
        self, chat: int, means: Means, working: Callable[[bool], None], woken_at: float
    ) -> None:
        self.look_again = False
        self._chat = chat
        self._means = means
        self._outbox = means.outbox
        self._showing = Showing(means.outbox, means.channels, means.clock)
        self._clock = means.clock
        self._working = working
        self._woken_at: float | None = woken_at
        self._asking_since: dict[int, float] = {}
        self._complaint = ""
        self._in_hand: OutboxRow | None = None
        self._tries: dict[int, int] = {}
        self._faults = 0

    def wake(self) -> None:
        """Notes that there may be more to deliver than at the last look."""
        self.look_again = True
        if self._woken_at is None:
            self._woken_at = self._clock.steady()

    async def work(self) -> None:
        pause = await self._attempt(None)
        while pause is not None:
            pause = await self._attempt(pause)

    async def _attempt(self, pause: float | None) -> float | None:
        """Delivers once, after a pause during which the courier has no seat.

        Returns the seconds until the next attempt; None when everything is delivered.
        """
        self._in_hand = None
        try:
            if pause is not None:
                await self._rest(pause)
                await self._means.seats.again(self._chat)
            try:
                await self._deliver()
            finally:
                self._means.seats.leave()
            return None
        except FloodWait as wait:
            return max(wait.retry_after, _SHORTEST_WAIT)
        except (ChannelUnreachable, ChatMoved, StoreError) as fault:
            self._complain(str(fault))
        except Exception:  # noqa: BLE001 - a fault of one row must not stop the others
            _LOG.exception("a delivery failed", extra=self._about())
            if self._in_hand is not None:
                self._tries[self._in_hand.id] = self._tries.get(self._in_hand.id, 0) + 1
        return self._next_delay()

    def _complain(self, text: str) -> None:
        """Logs a fault once, however long it lasts."""
        if text != self._complaint:
            _LOG.warning("a delivery has to wait: %s", text, extra=self._about())
        self._complaint = text

    def _next_delay(self) -> float:
        """Returns the seconds to wait: doubled each time, at most 60, less up to a random half."""
        longest = min(FIRST_DELAY_SECONDS * 2 ** min(self._faults, 10), LONGEST_DELAY_SECONDS)
        self._faults += 1
        return longest * (1 - self._means.jitter() / 2)

    async def _rest(self, seconds: float) -> None:
        """Waits, and gives up each card whose time ends meanwhile."""
        until = self._clock.steady() + seconds
        self._working(False)
        while (left := until - self._clock.steady()) > 0:
            ends = [self._end_of(row) for row in await self._owed() if _asks(row)]
            now = self._clock.steady()
            soonest = min(ends, default=now + self._means.card_life)
            await self._clock.sleep(min(left, max(soonest - now, _SHORTEST_WAIT)))
        self._working(True)

    async def _deliver(self) -> None:
        await self._showing.catch_up()
        while rows := await self._owed():
            if await self._all_brought(rows):
                return

    async def _all_brought(self, rows: Sequence[OutboxRow]) -> bool:
        """Returns False when the owed rows must be read again: one failed, or more was added."""
        for row in rows:
            self._in_hand = row
            if not await self._bring(row) or self.look_again:
                return False
        return True

    async def _owed(self) -> Sequence[OutboxRow]:
        """Returns the rows to deliver now; none while the chat's channel is not open."""
        self.look_again = False
        self._in_hand = None
        since = self._clock.steady() if self._woken_at is None else self._woken_at
        self._woken_at = None
        # Rows that vanish go last: a placeholder stays until the answer is on the screen.
        rows = sorted(await self._outbox.owed(self._chat), key=vanishes)
        if not rows or rows[0].address.channel not in self._means.channels:
            return ()
        asking = [row for row in rows if _asks(row)]
        for row in asking:
            self._asking_since.setdefault(row.id, since)
        late = [row for row in asking if self._end_of(row) <= self._clock.steady()]
        for row in late:
            await self._give_up(row, _LATE_CARD)
        return rows if not late else await self._owed()

    def _end_of(self, card: OutboxRow) -> float:
        """Returns the moment at which a card is given up.

        Its time starts when it could first be sent, because the program may have been off before.
        It is measured with the steady clock, because the time of day can be changed.
        """
        return self._asking_since[card.id] + self._means.card_life

    async def _bring(self, row: OutboxRow) -> bool:
        """Shows a row or gives it up; returns False when the owed rows must be read again."""
        if self._tries.get(row.id, 0) >= MOST_TRIES:
            await self._give_up(row, f"failed {MOST_TRIES} times")
            return True
        try:
            await self._showing.show(self._tried(row))
        except ContentRefused as refused:
            await self._give_up(row, str(refused))
        except ChatMoved as moved:
            # The update is routed like any other, so the next attempt finds the new address.
            await self._means.moved(row.address.channel, moved.update)
            raise
        except RecipientGone as gone:
            for owed in await self._outbox.owed(self._chat):
                await self._give_up(owed, str(gone))
            return False
        self._tries.pop(row.id, None)
        self._faults = 0
        self._complaint = ""
        return True

    async def _give_up(self, row: OutboxRow, why: str) -> None:
        """Marks a row as dead, unless its content has changed meanwhile.

        `given_up` is called for a card before that: if the program ends in between, the row is
        still owed.
        """
        self._in_hand = row
        _LOG.error("a message is given up: %s", why, extra=self._about())
        if row.content.kind is OutboundKind.CARD:
            await self._means.given_up(row, why)
        now = await self._outbox.row(row.key)
        if now is not None and now.version == row.version:
            await self._outbox.record(_dead(self._tried(now), why, self._clock.now()))
        self._tries.pop(row.id, None)

    def _tried(self, row: OutboxRow) -> OutboxRow:
        """Returns the row with the tries that are not stored yet."""
        return replace(row, attempts=self._tries.get(row.id, row.attempts))

    def _about(self) -> dict[str, int | str]:
        row = self._in_hand
        return {"chat": self._chat, "row": row.key if row is not None else ""}


def _asks(row: OutboxRow) -> bool:
    """Returns True for a card with buttons that has never been on the screen."""
    content = row.content
    return content.kind is OutboundKind.CARD and bool(content.buttons) and not row.shown_version


def _dead(row: OutboxRow, why: str, at: datetime) -> Delivered:
    return Delivered(
        row.id,
        row.version,
        DeliveryState.DEAD,
        row.shown_version,
        row.pieces,
        row.message_ids,
        row.attempts,
        at,
        why,
    )
