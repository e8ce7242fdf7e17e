"""The record of what arrived at the stand-in."""

import asyncio
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from tests.standins.messages_api.wire import Json


@dataclass(frozen=True, slots=True)
class ReceivedRequest:
    """One request: its number in order of arrival (from 1), when it came, and what it said.

    `received_at` is the event loop's clock in seconds; `size` counts the body's bytes.
    """

    number: int
    received_at: float
    headers: Mapping[str, str]
    body: Json
    size: int


class Arrivals:
    """Keeps the latest requests and lets a test wait for them."""

    def __init__(self, keep: int | None) -> None:
        self.requests: deque[ReceivedRequest] = deque(maxlen=keep)
        self.count = 0
        self._changed = asyncio.Condition()

    async def add(self, headers: Mapping[str, str], body: Json, size: int) -> ReceivedRequest:
        """Record one request."""
        self.count += 1
        now = asyncio.get_running_loop().time()
        request = ReceivedRequest(self.count, now, headers, body, size)
        self.requests.append(request)
        async with self._changed:
            self._changed.notify_all()
        return request

    async def reached(self, count: int) -> None:
        """Wait until so many requests have come in all."""
        async with self._changed:
            await self._changed.wait_for(lambda: self.count >= count)
