"""Delivery: brings what is owed to people to their screens, in order, whatever the way is like."""

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from types import TracebackType
from typing import Self, TypeAlias

from bot.domain.budget import Limits
from bot.domain.errors import (
    ChannelUnreachable,
    ChatMoved,
    ContentRefused,
    FloodWait,
    RecipientGone,
    StoreError,
)
from bot.domain.message import Outbound, OutboundKind, Piece, Plain, RawUpdate
from bot.flow.seats import Seats
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.outbox import DeliveryState, Outbox, OutboxRow, Progress

_log = logging.getLogger(__name__)

FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 60.0
MOST_TRIES = 5
"""Tries of a row that fails for a reason nobody foresaw; foreseen faults are tried for ever."""

_SHORTEST_WAIT = 0.1
_LATE_CARD = "not accepted in time"
_LEFT_OVER = Outbound(OutboundKind.NOTICE, (Plain("⋯"),))
"""Stands in messages that a shorter new content no longer needs."""

GivenUp: TypeAlias = Callable[[OutboxRow, str], Awaitable[None]]
"""Told of a card that will never be on the screen, and why."""

ToldOfMove: TypeAlias = Callable[[str, RawUpdate], Awaitable[None]]
"""Told by which channel, and in what words, that a chat has another address."""

Jitter: TypeAlias = Callable[[], float]
"""A number from 0 to 1."""


@dataclass(frozen=True, slots=True)
class _Means:
    """What every courier works with."""

    outbox: Outbox
    channels: Mapping[str, Channel]
    clock: Clock
    given_up: GivenUp
    moved: ToldOfMove
    card_life: float
    jitter: Jitter
    seats: Seats


class Delivery:
    """Delivers the rows of each chat in order, in a task of its own; a chat at rest costs nothing.

    At most `at_work` chats are delivered to at a time; the others stand in line without a task.
    Use as an async context manager: leaving cancels what is under way and waits for its end; the
    rows stay owed.
    """

    def __init__(
        self,
        outbox: Outbox,
        channels: Mapping[str, Channel],
        clock: Clock,
        given_up: GivenUp,
        moved: ToldOfMove,
        limits: Limits,
        at_work: int = 256,
        jitter: Jitter = random.random,
    ) -> None:
        life, seats = float(limits.card_seconds), Seats(at_work, self._start)
        self._means = _Means(outbox, channels, clock, given_up, moved, life, jitter, seats)
        self._group = asyncio.TaskGroup()
        self._couriers: dict[int, _Courier] = {}
        self._woken_at: dict[int, float] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._moving: set[int] = set()
        self._still = asyncio.Event()
        self._still.set()
        self._closing = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        for task in self._tasks.values():
            task.cancel()
        await self._group.__aexit__(kind, error, trace)

    async def resume(self) -> None:
        """Takes up what was owed when the program ended."""
        for chat in await self._means.outbox.chats_owed():
            self.wake(chat)

    def wake(self, chat: int) -> None:
        """Has what is owed to a chat delivered soon; a wake-up is never lost."""
        if self._closing:
            return
        if chat in self._couriers:
            self._couriers[chat].wake()
        elif chat not in self._woken_at:
            self._woken_at[chat] = self._means.clock.steady()
            self._moved(chat, True)
            self._means.seats.want(chat)

    def _start(self, chat: int) -> None:
        woken_at = self._woken_at.pop(chat)
        if self._closing:
            return
        courier = _Courier(chat, self._means, partial(self._moved, chat), woken_at)
        self._couriers[chat] = courier
        task = self._group.create_task(courier.work(), name=f"delivery {chat}")
        self._tasks[chat] = task
        task.add_done_callback(partial(self._let_go, chat))

    async def flushed(self) -> None:
        """Returns when nothing is being delivered; what waits for a better time is not."""
        await self._still.wait()

    def _let_go(self, chat: int, _: asyncio.Task[None]) -> None:
        """Runs when a courier has ended, in one step with the last look for a wake-up."""
        del self._tasks[chat]
        courier = self._couriers.pop(chat)
        if courier.look_again:
            self.wake(chat)
        else:
            self._moved(chat, False)

    def _moved(self, chat: int, moving: bool) -> None:
        if moving:
            self._moving.add(chat)
            self._still.clear()
            return
        self._moving.discard(chat)
        if not self._moving:
            self._still.set()


class _Courier:
    """Delivers to one chat until nothing is owed there any more."""

    def __init__(
        self, chat: int, means: _Means, moved: Callable[[bool], None], woken_at: float
    ) -> None:
        self.look_again = False
        self._chat = chat
        self._means = means
        self._outbox = means.outbox
        self._clock = means.clock
        self._moved = moved
        self._woken_at: float | None = woken_at
        self._asking_since: dict[int, float] = {}
        self._complaint = ""
        self._in_hand: OutboxRow | None = None
        self._unsaved: Progress | None = None
        self._tries: dict[int, int] = {}
        self._faults = 0

    def wake(self) -> None:
        """There is more to deliver than was known at the last look."""
        self.look_again = True
        if self._woken_at is None:
            self._woken_at = self._clock.steady()

    async def work(self) -> None:
        pause = await self._attempt(None)
        while pause is not None:
            pause = await self._attempt(pause)

    async def _attempt(self, pause: float | None) -> float | None:
        """Delivers, after a pause without a seat; returns the next pause if an attempt is due."""
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
        except Exception:  # noqa: BLE001 - the border of channel sends: one row's fault stays its own
            _log.exception("a delivery failed", extra=self._about())
            if self._in_hand is not None:
                self._tries[self._in_hand.id] = self._tries.get(self._in_hand.id, 0) + 1
        return self._next_delay()

    def _complain(self, text: str) -> None:
        """One line for a trouble, however long it lasts."""
        if text != self._complaint:
            _log.warning("a delivery has to wait: %s", text, extra=self._about())
        self._complaint = text

    def _next_delay(self) -> float:
        """Twice as long each time, up to a minute, less a random part of up to a half."""
        longest = min(FIRST_DELAY_SECONDS * 2 ** min(self._faults, 10), LONGEST_DELAY_SECONDS)
        self._faults += 1
        return longest * (1 - self._means.jitter() / 2)

    async def _rest(self, seconds: float) -> None:
        """Waits; a card whose time ends meanwhile is given up at that moment."""
        until = self._clock.steady() + seconds
        self._moved(False)
        while (left := until - self._clock.steady()) > 0:
            ends = [self._end_of(row) for row in await self._owed() if _asks(row)]
            now = self._clock.steady()
            soonest = min(ends, default=now + self._means.card_life)
            await self._clock.sleep(min(left, max(soonest - now, _SHORTEST_WAIT)))
        self._moved(True)

    async def _deliver(self) -> None:
        if self._unsaved is not None:
            await self._save(self._unsaved)
        while rows := await self._owed():
            if await self._all_brought(rows):
                return

    async def _all_brought(self, rows: Sequence[OutboxRow]) -> bool:
        """False when what is owed has to be looked at anew; who adds to it says so."""
        for row in rows:
            self._in_hand = row
            if not await self._bring(row) or self.look_again:
                return False
        return True

    async def _owed(self) -> Sequence[OutboxRow]:
        """What there is to deliver now: nothing while the chat's channel is not open."""
        self.look_again = False
        self._in_hand = None
        since = self._clock.steady() if self._woken_at is None else self._woken_at
        self._woken_at = None
        # What has to vanish stands in for what comes: it goes last.
        rows = sorted(await self._outbox.owed(self._chat), key=_vanishes)
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
        """A card has its time from when it could first be sent: the program may have been off.

        The time of day is no measure for it, since it may be set anew meanwhile.
        """
        return self._asking_since[card.id] + self._means.card_life

    async def _bring(self, row: OutboxRow) -> bool:
        """Shows a row or gives it up; False when the rows behind it have to be looked at anew."""
        if self._tries.get(row.id, 0) >= MOST_TRIES:
            await self._give_up(row, f"failed {MOST_TRIES} times")
            return True
        try:
            await self._show(row)
        except ContentRefused as refused:
            await self._give_up(row, str(refused))
        except ChatMoved as moved:
            # The row has the new address at the next attempt: the word is routed like any other.
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

    async def _show(self, row: OutboxRow) -> None:
        channel = self._means.channels[row.address.channel]
        if _vanishes(row):
            await self._take_away(row, channel)
            return
        pieces = _planned(row, channel)
        await self._edit(row, pieces, channel)
        seen = row.message_ids
        if len(seen) >= len(pieces):
            await self._save(self._progress(row, pieces, seen))
        for piece in pieces[len(seen) :]:
            seen = (*seen, await channel.send(row.address, piece))
            await self._save(self._progress(row, pieces, seen))

    async def _take_away(self, row: OutboxRow, channel: Channel) -> None:
        for message_id in row.message_ids:
            try:
                await channel.edit(row.address, message_id, None)
            except ContentRefused as refused:
                # Platforms keep what is old: let it at least say nothing any more.
                _log.info("a message stays: %s", refused, extra=self._about())
                await channel.edit(row.address, message_id, channel.split(_LEFT_OVER)[0])
        await self._save(self._progress(row, (), ()))

    async def _edit(self, row: OutboxRow, pieces: Sequence[Piece], channel: Channel) -> None:
        """Edits the messages that look different now; all of them when it is not known how."""
        known = row.pieces if _one_behind(row) else ()
        for n, (message_id, piece) in enumerate(zip(row.message_ids, pieces, strict=False)):
            if n < len(known) and known[n] == piece:
                continue
            try:
                await channel.edit(row.address, message_id, piece)
            except ContentRefused as refused:
                # The message may be deleted: nothing is left to bring up to date.
                _log.error("an edit was refused: %s", refused, extra=self._about())

    def _progress(
        self, row: OutboxRow, pieces: tuple[Piece, ...], seen: tuple[str, ...]
    ) -> Progress:
        done = len(seen) >= len(pieces)
        return Progress(
            row.id,
            row.version,
            DeliveryState.SHOWN if done else DeliveryState.OWED,
            row.version if done else row.shown_version,
            pieces,
            seen,
            self._tries.get(row.id, row.attempts),
            self._clock.now(),
        )

    async def _save(self, progress: Progress) -> None:
        """Records what is on the screen; if the store cannot now, that is the next thing to do."""
        self._unsaved = progress
        await self._outbox.record(progress)
        self._unsaved = None

    async def _give_up(self, row: OutboxRow, why: str) -> None:
        """Marks a row as dead, unless it has got another content meanwhile.

        A card is told of first: should the program end in between, the row is still owed.
        """
        self._in_hand = row
        _log.error("a message is given up: %s", why, extra=self._about())
        if row.content.kind is OutboundKind.CARD:
            await self._means.given_up(row, why)
        now = await self._outbox.row(row.key)
        if now is not None and now.version == row.version:
            dead = self._progress(now, now.pieces, now.message_ids)
            shown = now.shown_version
            dead = replace(dead, state=DeliveryState.DEAD, shown_version=shown, error=why)
            await self._outbox.record(dead)
        self._tries.pop(row.id, None)

    def _about(self) -> dict[str, int | str]:
        row = self._in_hand
        return {"chat": self._chat, "row": row.key if row is not None else ""}


def _asks(row: OutboxRow) -> bool:
    """True for a card with buttons that nobody has seen yet."""
    content = row.content
    return content.kind is OutboundKind.CARD and bool(content.buttons) and not row.shown_version


def _vanishes(row: OutboxRow) -> bool:
    return row.content.kind is OutboundKind.GONE


def _one_behind(row: OutboxRow) -> bool:
    """True when only the wanted version can have touched the screen since the last record."""
    return row.version == row.shown_version + 1


def _planned(row: OutboxRow, channel: Channel) -> tuple[Piece, ...]:
    """The pieces the row is to have on the screen; a plan half carried out stays the plan."""
    if _one_behind(row) and len(row.message_ids) < len(row.pieces):
        return row.pieces
    pieces = tuple(channel.split(row.content))
    too_many = len(row.message_ids) - len(pieces)
    return pieces if too_many <= 0 else (*pieces, *[channel.split(_LEFT_OVER)[0]] * too_many)
