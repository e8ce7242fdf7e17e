"""Lets waiters look again whenever the state has changed, and the clock they share."""

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Pulse:
    """One beat per change of state; waiters check their condition on every beat."""

    def __init__(self) -> None:
        self._next = asyncio.Event()

    def beat(self) -> None:
        self._next.set()
        self._next = asyncio.Event()

    async def until(self, condition: Callable[[], T], within: float | None) -> T:
        """Return the first truthy value of the condition; TimeoutError after `within` seconds."""
        async with asyncio.timeout(within):
            while not (value := condition()):
                await self._next.wait()
            return value


class Clock:
    """Wall time in seconds since the epoch, which a test may move forward."""

    def __init__(self) -> None:
        self._ahead = 0.0
        self._stopped_at: float | None = None

    def now(self) -> float:
        return (time.time() if self._stopped_at is None else self._stopped_at) + self._ahead

    def stop(self) -> None:
        """From now on only `advance` moves the clock."""
        self._stopped_at = time.time()

    def advance(self, seconds: float) -> None:
        self._ahead += seconds
