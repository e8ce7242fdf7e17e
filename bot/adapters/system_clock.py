"""The machine's own clock."""

import asyncio
import time
from datetime import UTC, datetime


class SystemClock:
    """Tells the time of the machine."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def steady(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
