"""Runs tasks that end with their owner, and waits for events with a time limit."""

import asyncio
import math
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Iterable
from typing import Any, Self, TypeVar

from bot.domain.talk.errors import StewardError
from bot.ports.clock import Clock

_FIRST_WAIT, _LONGEST_WAIT = 1.0, 300.0
"""Seconds until the first and until any later attempt after a fault."""

_AT_ONCE = 16
"""Things that are begun before others get the loop, and so do those that were begun."""

_T = TypeVar("_T")


class ActivityOwner:
    """Owns tasks; when it is closed, it cancels them and waits for their end.

    It is an async context manager, and can be opened only once.
    """

    def __init__(self) -> None:
        self._group = asyncio.TaskGroup()
        self._running: set[asyncio.Task[None]] = set()
        self.open = False
        """True as long as tasks may be started."""

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self.open = True
        return self

    async def __aexit__(self, *ended: Any) -> None:
        self.open = False
        for task in self._running:
            task.cancel()
        await self._group.__aexit__(*ended)

    def start(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Starts a task; a fault in it ends the owner."""
        task = self._group.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task


async def a_few_at_a_time(things: Iterable[_T]) -> AsyncGenerator[_T]:
    """Yields a few at a time: a thousand of them, each of which begins something, delay nobody."""
    for number, thing in enumerate(things, start=1):
        yield thing
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)


async def persistently(
    work: Callable[[], Awaitable[None]], failed: Callable[[str], None], clock: Clock
) -> None:
    """Does the work again and again; after each fault in a row it waits twice as long."""
    wait = _FIRST_WAIT
    while True:
        try:
            await work()
        except StewardError as fault:
            failed(str(fault))
            await clock.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)
        else:
            wait = _FIRST_WAIT


class InTime:
    """Waits for answers that must not keep anybody waiting; rests after one that did not come."""

    def __init__(self, clock: Clock, seconds: float, rest_seconds: float) -> None:
        self._clock = clock
        self._seconds = seconds
        self._rest_seconds = rest_seconds
        self._rests_until = -math.inf

    @property
    def rests(self) -> bool:
        """Returns True for some time after a missing answer: nothing should be asked then."""
        return self._clock.steady() < self._rests_until

    async def done(self, work: Awaitable[_T]) -> _T:
        """Returns the answer; raises TimeoutError when there is none in time."""
        try:
            async with asyncio.timeout(self._seconds):
                return await work
        except TimeoutError:
            self._rests_until = self._clock.steady() + self._rest_seconds
            raise
