"""Runs tasks that end with their owner, and waits for events with a time limit."""

import asyncio
from collections.abc import Coroutine
from types import TracebackType
from typing import Self

from bot.ports.clock import Clock


class TaskOwner:
    """Owns tasks; when it is closed, it cancels them and waits for their end.

    It is an async context manager, and can be opened only once.
    """

    def __init__(self) -> None:
        self._group = asyncio.TaskGroup()
        self._running: set[asyncio.Task[None]] = set()
        self._open = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        self._open = True
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open = False
        for task in self._running:
            task.cancel()
        await self._group.__aexit__(kind, error, trace)

    @property
    def open(self) -> bool:
        """Returns True as long as tasks may be started."""
        return self._open

    def start(self, work: Coroutine[None, None, None], name: str) -> asyncio.Task[None]:
        """Starts a task; a fault in it ends the owner."""
        task = self._group.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task


async def awaited(event: asyncio.Event, clock: Clock, seconds: float) -> None:
    """Waits until the event is set or the time is over, whichever is first."""
    waits = [asyncio.ensure_future(event.wait()), asyncio.ensure_future(clock.sleep(seconds))]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
