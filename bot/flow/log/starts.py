"""Counts the starts of a turn that fail; deaths that come from outside are hardly ever counted."""

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress

from bot.domain.talk.errors import StewardError
from bot.ports.clock import Clock


class Start:
    """One start of a turn, counted once at most: when a step has lived `seconds`, or at a fault.

    The count is written while the step runs, so that it stands when the program dies in it. What
    kills the program sooner is taken to come from outside.
    """

    def __init__(self, count: Callable[[], Awaitable[None]], clock: Clock, seconds: float) -> None:
        self._count = count
        self._clock = clock
        self._seconds = seconds
        self._counting: asyncio.Task[None] | None = None
        self.counted = False

    @contextmanager
    def step(self) -> Generator[None]:
        """Counts the start if the step in this block lives so long without progress."""
        self._counting = asyncio.create_task(self._live_on(), name="start of a turn")
        try:
            yield
        finally:
            self._end_step()

    def progress(self) -> None:
        """A step is written down, which sets the count of the turn back to zero."""
        self._end_step()
        self.counted = False

    async def fail(self) -> None:
        """Counts the start because of a fault of the program itself."""
        if not self.counted:
            self.counted = True
            await self._count()

    def _end_step(self) -> None:
        if self._counting is not None:
            self._counting.cancel()
            self._counting = None

    async def _live_on(self) -> None:
        await self._clock.sleep(self._seconds)
        # A store that fails now fails the step too, which says so.
        with suppress(StewardError):
            await self.fail()
