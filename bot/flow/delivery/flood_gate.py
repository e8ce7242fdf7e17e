"""The flood gate: it keeps sending within the platform's rates and lets owed messages go first."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from bot.domain.talk.errors import FloodWait
from bot.domain.talk.limits import SendRates
from bot.domain.talk.message import Address, Piece, Press, Sign
from bot.flow.delivery.permits import Bucket, Leave, Window
from bot.ports.channel import NEW_DRAFT, Channel, DraftPlace, Links, WrappedChannel
from bot.ports.clock import Clock
from bot.ports.sightings import Pace, Traces, unhurried

PATIENCE_SECONDS = 30.0
"""Seconds; a longer wait is raised as FloodWait, so that the caller can do other work meanwhile."""

_SHORTEST_HOLD = 0.1
_NEXT_TRY = 1.0
_NEXT_DRAFT = 0.5
"""Seconds after which a draft without room may come again; the rate of a chat is one a second."""

_FEW_LINES = 256
_UNBOUND = SendRates(None, None, None)
T = TypeVar("T")


@dataclass(slots=True)
class _Line:
    """The line of sends that wait for one chat, with the chat's own rates."""

    bucket: Bucket
    window: Window
    lock: asyncio.Lock
    waiting: int = 0
    held_until: float = 0.0

    def free_at(self, now: float) -> float:
        return max(self.held_until, self.bucket.free_at(now), self.window.free_at(now))

    def spare(self, now: float) -> bool:
        """Returns True when a send that nobody owes would take nothing from those that are owed."""
        if self.waiting or now < self.held_until or not self.bucket.is_full(now):
            return False
        return not self.window.half_used(now) and self.window.free_at(now) <= now

    def over_at(self, now: float) -> float:
        """Returns the moment at which an owed message may go that must not delay another one."""
        return max(self.held_until, self.bucket.over_at(now), self.window.free_at(now))

    def idle(self, now: float) -> bool:
        if self.waiting or not self.bucket.is_full(now):
            return False
        return now >= max(self.held_until, self.window.empty_at(now))


def _never(_: Address) -> bool:
    return False


class FloodGate:
    """Gives leave to send on one channel, within rates for each chat, each group and all chats.

    Without rates it never waits. A chat has a bucket: a few messages may go at once, and the bucket
    fills up at the chat's rate. Owed messages have the first claim to it: a send that nobody owes,
    a draft for instance, is let through only from a full bucket, so it takes the place that is
    over. A chat waits for its own rates first, and then for the common rate in one line with the
    other chats. A chat that the platform told to be silent does not delay the others. The platform
    counts a message when it arrives, so a leave counts from the end of its send.
    """

    def __init__(
        self, rates: SendRates | None, clock: Clock, is_group: Callable[[Address], bool] = _never
    ) -> None:
        self._rates = rates or _UNBOUND
        self._clock = clock
        self._is_group = is_group
        self._lines: dict[str, _Line] = {}
        self._sweep_at = _FEW_LINES
        self._all = Window(self._rates.all)
        self._door = asyncio.Lock()
        self._at_door = 0

    async def admit(self, address: Address) -> Leave:
        """Waits until a message may be sent; raises FloodWait for a long silence of the chat."""
        line = self._line(address)
        line.waiting += 1
        try:
            async with line.lock:
                while (leave := await self._through_door(line)) is None:
                    pass
                return leave
        finally:
            line.waiting -= 1

    def try_admit(self, address: Address, *, shows: bool = True) -> Leave | None:
        """Returns a leave if there is room at once that no owed message needs, otherwise None.

        A send that shows nothing in the chat, as typing does, counts in the common rate alone. So
        it also goes while an owed message waits for the rate of its chat.
        """
        now = self._clock.steady()
        line = self._line(address)
        if self._at_door or self._all.crowded(now) or now < self._all.free_at(now):
            return None
        room = line.spare(now) if shows else now >= line.held_until
        return self._take(line if shows else None, now) if room else None

    @asynccontextmanager
    async def unseen(self, address: Address) -> AsyncGenerator[None]:
        """Waits for room for a call that shows nothing, and counts it in the common rate alone."""
        line = self._line(address)
        await self._until(lambda: line.held_until)
        async with self._door:
            await self._until(lambda: self._all.free_at(self._clock.steady()))
            leave = self._take(None, self._clock.steady())
        try:
            yield
        except FloodWait as wait:
            self.hold(address, wait.retry_after)
            raise
        finally:
            self.used(leave)

    async def _until(self, free_at: Callable[[], float]) -> None:
        while (wait := free_at() - self._clock.steady()) > 0:
            if wait > PATIENCE_SECONDS:
                raise FloodWait(wait)
            await self._clock.sleep(wait)

    def wait_beside(self, address: Address) -> float:
        """Returns the seconds until a message may go that leaves room for another one behind it.

        It takes no leave: an owed message that must delay no other one asks first.
        """
        now = self._clock.steady()
        line = self._line(address)
        if self._at_door or line.waiting or self._all.crowded(now) or line.window.half_used(now):
            return _NEXT_TRY
        return max(0.0, line.over_at(now) - now, self._all.free_at(now) - now)

    def used(self, leave: Leave) -> None:
        """Notes that the send with this leave has ended, with or without success."""
        leave.ended_at = self._clock.steady()

    def follow_another(self) -> None:
        """Counts the newest sends of another process: all that there was room for, to be sure."""
        self._all.fill(self._clock.steady())

    def hold(self, address: Address, seconds: float) -> None:
        """Keeps a chat silent because the platform asked for it; other chats are not delayed."""
        line = self._line(address)
        until = self._clock.steady() + max(seconds, _SHORTEST_HOLD)
        line.held_until = max(line.held_until, until)

    async def _through_door(self, line: _Line) -> Leave | None:
        """Waits once for all rates; returns None when the chat was told to wait meanwhile."""
        await self._wait_for(line)
        self._at_door += 1
        try:
            async with self._door:
                while (free_at := self._all.free_at(now := self._clock.steady())) > now:
                    await self._clock.sleep(free_at - now)
                if now < line.free_at(now):
                    return None
                return self._take(line, now)
        finally:
            self._at_door -= 1

    def _take(self, line: _Line | None, now: float) -> Leave:
        leave = Leave()
        self._all.take(leave, now)
        if line is not None:
            line.bucket.take(leave)
            line.window.take(leave, now)
        return leave

    async def _wait_for(self, line: _Line) -> None:
        while (free_at := line.free_at(now := self._clock.steady())) > now:
            if line.held_until - now > PATIENCE_SECONDS:
                raise FloodWait(line.held_until - now)
            await self._clock.sleep(free_at - now)

    def _line(self, address: Address) -> _Line:
        """Returns the line of a chat; its threads share the line, as they do on the platform."""
        key = f"{address.channel}:{address.chat}"
        line = self._lines.get(key)
        if line is None:
            self._forget_idle()
            group = self._rates.group if self._is_group(address) else None
            bucket = Bucket(self._rates.chat, self._rates.burst)
            line = _Line(bucket, Window(group), asyncio.Lock())
            self._lines[key] = line
        return line

    def _forget_idle(self) -> None:
        if len(self._lines) < self._sweep_at:
            return
        now = self._clock.steady()
        self._lines = {key: line for key, line in self._lines.items() if not line.idle(now)}
        # Twice the lines that are left, so that the cost of sweeping per chat stays the same.
        self._sweep_at = max(_FEW_LINES, 2 * len(self._lines))


Ready: TypeAlias = Callable[[str], AbstractAsyncContextManager[None]]
"""Is entered when the message with this name may be sent, and left when that was tried."""


def _at_once(_name: str) -> AbstractAsyncContextManager[None]:
    """Stands for nobody who has to be ready."""
    return nullcontext()


class GatedChannel(WrappedChannel):
    """A channel behind a flood gate: messages wait for leave; drafts and signs use what is left."""

    def __init__(self, channel: Channel, gate: FloodGate) -> None:
        super().__init__(channel)
        self._gate = gate
        self._ready: Ready = _at_once

    def before_sending(self, ready: Ready) -> None:
        """Has each send be tried within `ready`, behind the waits for leave."""
        self._ready = ready

    def wait_beside(self, to: Address) -> float:
        """Returns the seconds until a message may go that leaves room for another one behind it."""
        return self._gate.wait_beside(to) if self.gated else 0.0

    def follow_another(self) -> None:
        """Counts the newest sends of the process that delivered until now."""
        self._gate.follow_another()

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        async def attempt() -> str:
            async with self._ready(once):
                return await self._channel.send(to, piece, once=once)

        return await self._owed(to, attempt)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        paced = partial(self._gate.unseen, to) if self.gated else pace
        return await self._channel.find(to, piece, traces, pace=paced)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await self._owed(to, lambda: self._channel.edit(to, message_id, piece))

    async def draft(
        self, to: Address, text: str, links: Links = (), place: DraftPlace = NEW_DRAFT
    ) -> str | None:
        """Shows a draft if there is room; raises FloodWait when it should come again."""
        shown = place.message_id

        async def attempt() -> None:
            nonlocal shown
            shown = await self._channel.draft(to, text, links, place)

        if not await self._passing(to, attempt, shows=True):
            raise FloodWait(_NEXT_DRAFT)
        return shown

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        """Shows a sign if there is room; raises FloodWait when it should come again."""
        attempt = partial(self._channel.sign, to, sign, message_id)
        if not await self._passing(to, attempt, shows=False):
            raise FloodWait(_NEXT_TRY)

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        await self._channel.acknowledge(press, text, refused=refused, alone=alone)

    async def _owed(self, to: Address, attempt: Callable[[], Awaitable[T]]) -> T:
        """Tries until the platform accepts it; raises FloodWait if it asks for too long a wait."""
        if not self.gated:
            return await attempt()
        while True:
            leave = await self._gate.admit(to)
            try:
                return await attempt()
            except FloodWait as wait:
                self._gate.hold(to, wait.retry_after)
            finally:
                self._gate.used(leave)

    async def _passing(
        self, to: Address, attempt: Callable[[], Awaitable[None]], *, shows: bool
    ) -> bool:
        """Makes an attempt if there is room; returns True when the platform accepted it."""
        if not self.gated:
            await attempt()
            return True
        leave = self._gate.try_admit(to, shows=shows)
        if leave is None:
            return False
        try:
            await attempt()
        except FloodWait as wait:
            self._gate.hold(to, wait.retry_after)
            return False
        finally:
            self._gate.used(leave)
        return True


@runtime_checkable
class _Gated(Protocol):
    """A channel behind a gate, which may stand behind another wrapper."""

    def wait_beside(self, to: Address) -> float: ...

    def before_sending(self, ready: Ready) -> None: ...

    def follow_another(self) -> None: ...


def before_sending(channel: Channel, ready: Ready) -> bool:
    """Has each send of a channel that has a gate be tried within `ready`; False for others."""
    if not isinstance(channel, _Gated):
        return False
    channel.before_sending(ready)
    return True


def follow_another(channel: Channel) -> None:
    """Has the gate of a channel count what another process sent last, if it has a gate."""
    if isinstance(channel, _Gated):
        channel.follow_another()


def wait_beside(channel: Channel, to: Address) -> float:
    """Returns the seconds that a message waits which must delay no other one."""
    return channel.wait_beside(to) if isinstance(channel, _Gated) else 0.0
