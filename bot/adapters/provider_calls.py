"""Bounds of time and idle connections, as every connection to a provider of models has them."""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager

import httpx2

from bot.domain.talk.errors import ModelUnreachable

CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=16)
"""Few idle connections stay open: the pool compares each with every other at every call."""


class TimeBounds:
    """Bounds the parts of a call, and the whole of it; what ends late is a ModelUnreachable.

    Whatever else goes wrong inside goes through `translated`.
    """

    def __init__(
        self, call_seconds: float, translated: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._call_seconds = call_seconds
        self._translated = translated

    @asynccontextmanager
    async def within(
        self, seconds: float, what: str, ends: float = math.inf
    ) -> AsyncGenerator[asyncio.Timeout]:
        """Limits the code inside to `seconds` and to the end of the whole call.

        `what` begins the sentence about a part that took too long.
        """
        loop = asyncio.get_running_loop()
        with self._translated():
            try:
                async with asyncio.timeout_at(min(loop.time() + seconds, ends)) as bound:
                    yield bound
            except TimeoutError:
                whole = f"the call took more than {self._call_seconds:g} s"
                raise ModelUnreachable(
                    whole if loop.time() >= ends else f"{what} for {seconds:g} s"
                ) from None
