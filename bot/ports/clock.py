"""The port for time."""

import asyncio
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time of day in UTC, a steady count of seconds, and a way to wait."""

    def now(self) -> datetime: ...

    def steady(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...

    async def until(self, event: asyncio.Event, seconds: float) -> None:
        """Waits until the event is set or the time is over, whichever is first."""
        ...
