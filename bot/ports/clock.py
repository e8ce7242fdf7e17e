"""The port for time."""

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """The time of day in UTC, a steady count of seconds, and a way to wait."""

    def now(self) -> datetime: ...

    def steady(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...
