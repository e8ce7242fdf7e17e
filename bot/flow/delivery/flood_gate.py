"""The flood gate: it keeps sending within the platform's rates and lets owed messages go first."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from bot.domain.budget import Rate, SendRates
from bot.domain.errors import FloodWait
from bot.domain.message import Address, Inbound, Outbound, Piece, Press, Sign
from bot.ports.channel import Channel
from bot.ports.clock import Clock

PATIENCE_SECONDS = 30.0
"""Seconds; a longer wait is raised as FloodWait, so that the caller can do other work meanwhile."""

_SHORTEST_HOLD = 0.1
_NEXT_TRY = 1.0
_FEW_LINES = 256
_UNBOUND = SendRates(None, None, None)
T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Leave:
    """A permission to send one message.

    `at` is the moment it was given, and later the moment its send ended.
    """

    at: float


class _Window:
    """The newest sends under one rate: at most `count` of them in any span of `seconds`."""

    __slots__ = ("_rate", "_sent")

    def __init__(self, rate: Rate | None) -> None:
        self._rate = rate
        self._sent: deque[Leave] = deque(maxlen=rate.count if rate is not None else 0)

    @property
    def free_at(self) -> float:
        if self._rate is None or len(self._sent) < self._rate.count:
            return 0.0
        return min(leave.at for leave in self._sent) + self._rate.seconds

    @property
    def empty_at(self) -> float:
        if self._rate is None or not self._sent:
            return 0.0
        return max(leave.at for leave in self._sent) + self._rate.seconds

    def crowded(self, now: float) -> bool:
        """Returns True when two thirds are used: the last third is for owed messages."""
        return self._rate is not None and 3 * self._used(now) >= 2 * self._rate.count

    def half_used(self, now: float) -> bool:
        """Returns True when half is used; a rate of one message has no half."""
        if self._rate is None or self._rate.count == 1:
            return False
        return 2 * self._used(now) >= self._rate.count

    def _used(self, now: float) -> int:
        if self._rate is None:
            return 0
        return sum(leave.at + self._rate.seconds > now for leave in self._sent)

    def take(self, leave: Leave) -> None:
        if self._rate is not None and len(self._sent) == self._rate.count:
            # Sends do not end in the order in which they began, so the oldest is found by its time.
            self._sent.remove(min(self._sent, key=lambda leave: leave.at))
        self._sent.append(leave)


@dataclass(slots=True)
class _Line:
    """The line of sends that wait for one chat, with the chat's own rates."""

    windows: tuple[_Window, ...]
    lock: asyncio.Lock
    waiting: int = 0
    held_until: float = 0.0

    @property
    def free_at(self) -> float:
        return max(self.held_until, *(window.free_at for window in self.windows))

    def idle(self, now: float) -> bool:
        empty_at = max(window.empty_at for window in self.windows)
        return not self.waiting and now >= max(self.held_until, empty_at)


def _never(_: Address) -> bool:
    return False


class FloodGate:
    """Gives leave to send on one channel, within rates for each chat, each group and all chats.

    Without rates it never waits. A chat waits for its own rates first, and then for the common
    rate in one line with the other chats. A chat that the platform told to be silent does not
    delay the others. The platform counts a message when it arrives, so a leave counts from the
    end of its send.
    """

    def __init__(
        self,
        rates: SendRates | None,
        clock: Clock,
        is_group: Callable[[Address], bool] = _never,
    ) -> None:
        self._rates = rates or _UNBOUND
        self._clock = clock
        self._is_group = is_group
        self._lines: dict[str, _Line] = {}
        self._sweep_at = _FEW_LINES
        self._all = _Window(self._rates.all)
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
        """Returns a leave if there is room at once and no owed message waits, otherwise None.

        A send that shows nothing in the chat counts in the common rate, but not in the chat's own.
        Of the chat's own rates at most half may be used here; the rest is kept for owed messages,
        which may come at any moment.
        """
        now = self._clock.steady()
        line = self._line(address)
        if shows and any(window.half_used(now) for window in line.windows):
            return None
        free_at = line.free_at if shows else line.held_until
        if line.waiting or self._at_door or now < free_at or self._all.crowded(now):
            return None
        return self._take(line if shows else None, now)

    def used(self, leave: Leave) -> None:
        """Notes that the send with this leave has ended, with or without success."""
        leave.at = self._clock.steady()

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
                while (now := self._clock.steady()) < self._all.free_at:
                    await self._clock.sleep(self._all.free_at - now)
                if now < line.free_at:
                    return None
                return self._take(line, now)
        finally:
            self._at_door -= 1

    def _take(self, line: _Line | None, now: float) -> Leave:
        leave = Leave(now)
        for window in (self._all, *(line.windows if line is not None else ())):
            window.take(leave)
        return leave

    async def _wait_for(self, line: _Line) -> None:
        while (now := self._clock.steady()) < line.free_at:
            if line.held_until - now > PATIENCE_SECONDS:
                raise FloodWait(line.held_until - now)
            await self._clock.sleep(line.free_at - now)

    def _line(self, address: Address) -> _Line:
        """Returns the line of a chat; its threads share the line, as they do on the platform."""
        key = f"{address.channel}:{address.chat}"
        line = self._lines.get(key)
        if line is None:
            self._forget_idle()
            group = self._rates.group if self._is_group(address) else None
            line = _Line((_Window(self._rates.chat), _Window(group)), asyncio.Lock())
            self._lines[key] = line
        return line

    def _forget_idle(self) -> None:
        if len(self._lines) < self._sweep_at:
            return
        now = self._clock.steady()
        self._lines = {key: line for key, line in self._lines.items() if not line.idle(now)}
        # Twice the lines that are left, so that the cost of sweeping per chat stays the same.
        self._sweep_at = max(_FEW_LINES, 2 * len(self._lines))


class GatedChannel:
    """A channel behind a flood gate: messages wait for leave; drafts and signs are left out."""

    def __init__(self, channel: Channel, gate: FloodGate) -> None:
        self._channel = channel
        self._gate = gate
        self.name = channel.name
        self.drafts = channel.drafts
        self.gated = channel.gated
        self.instant = channel.instant

    def parse(self, body: str) -> Inbound:
        return self._channel.parse(body)

    def split(self, content: Outbound) -> Sequence[Piece]:
        return self._channel.split(content)

    async def send(self, to: Address, piece: Piece) -> str:
        return await self._owed(to, lambda: self._channel.send(to, piece))

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await self._owed(to, lambda: self._channel.edit(to, message_id, piece))

    async def draft(
        self, to: Address, text: str, *, message_id: str | None = None, reply_to: str | None = None
    ) -> str | None:
        shown = message_id

        async def attempt() -> None:
            nonlocal shown
            shown = await self._channel.draft(to, text, message_id=message_id, reply_to=reply_to)

        await self._passing(to, attempt, shows=True)
        return shown

    async def sign(self, to: Address, sign: Sign, message_id: str | None = None) -> None:
        """Shows a sign if there is room; else drops typing, or raises FloodWait for a reaction."""
        attempt = partial(self._channel.sign, to, sign, message_id)
        if not await self._passing(to, attempt, shows=False) and message_id is not None:
            raise FloodWait(_NEXT_TRY)

    async def acknowledge(self, press: Press, text: str) -> None:
        await self._channel.acknowledge(press, text)

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
