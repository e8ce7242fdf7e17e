"""A clock whose time moves only when a test moves it."""

import asyncio
import heapq
from collections import deque
from collections.abc import Sized
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest

_SETTLING_STEPS = 20
_LOOKING = set[asyncio.Task[Any] | None]()
"""Tasks that do nothing but look whether something has come; no clock waits for them."""


class FakeClock:
    """Starts at a fixed moment; sleepers wake in the order of their time, then of their coming."""

    def __init__(self, start: datetime = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)) -> None:
        self._now = start
        self._steady = 0.0
        self._order = count()
        self._sleepers: list[tuple[float, int, asyncio.Future[Any]]] = []
        self.slept: list[float] = []

    def now(self) -> datetime:
        return self._now

    def steady(self) -> float:
        return self._steady

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        await self._waking(seconds)

    async def until(self, event: asyncio.Event, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        if event.is_set():
            await asyncio.sleep(0)
            return
        waking = self._waking(seconds)
        # A task that waits for the event would cost more than all that programs do in most naps.
        waiters: deque[asyncio.Future[Any]] = vars(event)["_waiters"]
        waiters.append(waking)
        try:
            await waking
        finally:
            waiters.remove(waking)

    def _waking(self, seconds: float) -> asyncio.Future[Any]:
        waking = asyncio.get_running_loop().create_future()
        heapq.heappush(self._sleepers, (self._steady + seconds, next(self._order), waking))
        return waking

    @property
    def sleepers(self) -> int:
        """How many still wait for their time."""
        return sum(not waking.done() for _, _, waking in self._sleepers)

    async def advance(self, seconds: float) -> None:
        """Moves time on, stopping at each sleeper's moment to let it do what it does then."""
        end = self._steady + seconds
        await self._settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            moment = self._sleepers[0][0]
            self._move(moment)
            if self._wake_at(moment):
                await self._settle()
        self._move(end)

    def _wake_at(self, moment: float) -> bool:
        """Wakes all whose time has come; returns False if none of them sleeps any more."""
        woken = False
        while self._sleepers and self._sleepers[0][0] == moment:
            _, _, waking = heapq.heappop(self._sleepers)
            if not waking.done():
                waking.set_result(None)
                woken = True
        return woken

    def set_wall(self, seconds: float) -> None:
        """Someone sets the time of day on or back; no time passes."""
        self._now += timedelta(seconds=seconds)

    def _move(self, to: float) -> None:
        self._now += timedelta(seconds=to - self._steady)
        self._steady = to

    async def _settle(self) -> None:
        """Lets tasks that are ready run, and those they wake."""
        ready = _ready()
        for _ in range(_SETTLING_STEPS):
            await asyncio.sleep(0)
            # A week in steps of 20 s takes seconds when steps with nothing to do are made too.
            if len(ready) <= len(_LOOKING):
                return


async def others_go_on() -> None:
    """Lets each task do a step; where none can, a thread is at work, and gets the processor."""
    task = asyncio.current_task()
    _LOOKING.add(task)
    try:
        await asyncio.sleep(0)
    finally:
        _LOOKING.discard(task)
    if not _ready():
        await asyncio.sleep(0.001)


def _ready() -> Sized:
    """The steps that the running loop does next."""
    return getattr(asyncio.get_running_loop(), "_ready", (None,))


async def pass_in_the_loop(seconds: float, patch: pytest.MonkeyPatch) -> None:
    """Sets the event loop's own time on, and lets it see which of its time-outs are due."""
    loop = asyncio.get_running_loop()
    time = loop.time
    patch.setattr(loop, "time", lambda: time() + seconds)
    for _ in range(_SETTLING_STEPS):
        await asyncio.sleep(0)
