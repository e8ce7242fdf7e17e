"""Delivers the owed messages of one chat in order, and pauses when the platform is blocked."""

import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from bot.domain.talk.errors import (
    ChannelUnreachable,
    ChatMoved,
    ContentRefused,
    FloodWait,
    NobodyThere,
    RecipientGone,
    StoreError,
)
from bot.domain.talk.message import OutboundKind, RawUpdate
from bot.flow.delivery.giving_up import GivingUp
from bot.flow.delivery.owed_rows import SHORTEST_WAIT, OwedRows
from bot.flow.delivery.seats import Seat
from bot.flow.delivery.showing import Showing
from bot.ports.outbox import OutboxRow

_LOG = logging.getLogger(__name__)

MOST_TRIES = 5
"""Tries of a row whose fault is unexpected; network and store faults are tried without an end."""

FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 60.0

Jitter: TypeAlias = Callable[[], float]
DRAWN: Jitter = random.random
"""A number from 0 to 1."""

ToldOfMove: TypeAlias = Callable[[str, RawUpdate], Awaitable[None]]
"""Takes the name of a channel and its update which says that a chat has a new address."""


@dataclass(slots=True)
class Pauses:
    """The pauses of a courier after faults: each is twice as long, until something succeeds."""

    _jitter: Jitter
    faults: int = 0

    def next(self) -> float:
        """Returns the seconds to wait: doubled each time, at most 60, less up to a random half."""
        longest = min(FIRST_DELAY_SECONDS * 2 ** min(self.faults, 10), LONGEST_DELAY_SECONDS)
        self.faults += 1
        return longest * (1 - self._jitter() / 2)

    def over(self) -> None:
        """Notes a success: the next pause is short again."""
        self.faults = 0


class _NoRoomBeside(Exception):
    """Tells that only messages are left which wait until they delay no other one."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.seconds = seconds


@dataclass(slots=True, eq=False)
class Courier:
    """Delivers to one chat until nothing more is owed to it.

    Messages about tool calls go where they delay nothing: in their order while there is room for
    one more behind them, else behind everything.
    """

    _chat: int
    owed: OwedRows
    _showing: Showing
    _giving_up: GivingUp
    _seat: Seat
    _pauses: Pauses
    _moved: ToldOfMove
    _admitted: Callable[[], Awaitable[bool]]
    """Tells if this process still delivers to the chat."""
    _complaint: str = ""
    _beside: bool = False
    _in_hand: OutboxRow | None = None
    _tries: dict[int, int] = field(default_factory=dict[int, int])

    async def work(self) -> None:
        try:
            pause = await self._attempt(None)
            while pause is not None:
                pause = await self._attempt(pause)
        finally:
            self._showing.leave()

    async def _attempt(self, pause: float | None) -> float | None:
        """Delivers once, after a pause during which the courier has no seat.

        Returns the seconds until the next attempt; None when everything is delivered.
        """
        self._in_hand = None
        try:
            if pause is not None:
                self._seat.rest()
                await self._wait(pause)
                await self._seat.again()
            try:
                if pause is None or await self._admitted():
                    await self._deliver()
            finally:
                self._seat.leave()
            return None
        except _NoRoomBeside as wait:
            self._beside = True
            return max(wait.seconds, SHORTEST_WAIT)
        except FloodWait as wait:
            return max(wait.retry_after, SHORTEST_WAIT)
        except NobodyThere:
            return None
        except StoreError as fault:
            self._complain(str(fault), fault.level)
        except (ChannelUnreachable, ChatMoved) as fault:
            self._complain(str(fault))
        except Exception:  # a fault of one row must not stop the others
            _LOG.exception("a delivery failed", extra=self._about())
            if self._in_hand is not None:
                self._tries[self._in_hand.id] = self._tries.get(self._in_hand.id, 0) + 1
        return self._pauses.next()

    async def _wait(self, pause: float) -> None:
        """Waits; what waits for room beside other messages lets those go first at once."""
        if self._beside:
            self._beside = False
            await self.owed.woken(pause)
        else:
            await self.owed.wait(pause)

    def _complain(self, text: str, level: int = logging.WARNING) -> None:
        """Logs a fault once, however long it lasts."""
        if text != self._complaint:
            _LOG.log(level, "a delivery has to wait: %s", text, extra=self._about())
        self._complaint = text

    async def _deliver(self) -> None:
        await self._showing.catch_up()
        while rows := await self.owed.rows():
            await self._showing.doubts.look(rows)
            if await self._all_brought(rows) and not self.owed.more:
                return
            self._in_hand = None

    async def _all_brought(self, rows: Sequence[OutboxRow]) -> bool:
        """Returns False when the owed rows must be read again: one failed, or more was added."""
        ordered = sorted(rows, key=self._goes_last)
        for at, row in enumerate(ordered):
            beside = row.content.kind is OutboundKind.CALLS
            if beside and (wait := self._showing.wait_beside(row)):
                if any(other.content.kind is not OutboundKind.CALLS for other in ordered[at:]):
                    return False
                raise _NoRoomBeside(wait)
            self._in_hand = row
            if not await self._bring(row) or self.owed.look_again:
                return False
        return True

    def _goes_last(self, row: OutboxRow) -> bool:
        """Returns True for calls that would delay others, or stand in their place already."""
        if row.content.kind is not OutboundKind.CALLS or self._showing.delays_nobody(row):
            return False
        return bool(row.message_ids) or self._showing.wait_beside(row) > 0

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
            await self._moved(row.address.channel, moved.update)
            raise
        except RecipientGone as gone:
            last = 0
            while rows := await self.owed.first(last):
                for owed in rows:
                    await self._give_up(owed, str(gone), gone=True)
                last = rows[-1].id
            return False
        self._tries.pop(row.id, None)
        if self._pauses.faults:
            self._pauses.over()
        self._complaint = ""
        return True

    async def _give_up(self, row: OutboxRow, why: str, *, gone: bool = False) -> None:
        self._in_hand = row
        await self._giving_up.give_up(self._tried(row), why, gone=gone)
        self._tries.pop(row.id, None)

    def _tried(self, row: OutboxRow) -> OutboxRow:
        """Returns the row with the tries that are not stored yet."""
        return replace(row, attempts=self._tries.get(row.id, row.attempts))

    def _about(self) -> dict[str, int | str]:
        row = self._in_hand
        return {"chat": self._chat, "row": row.key if row is not None else ""}
