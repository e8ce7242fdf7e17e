"""Bounds of time and idle connections, as every connection to a provider of models has them."""

import asyncio
import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, asynccontextmanager

import httpx2

from bot.domain.talk.errors import ModelUnreachable
from bot.domain.talk.limits import ModelTimes
from bot.domain.text.hiding import without_secrets

CONNECTIONS = httpx2.Limits(max_connections=1000, max_keepalive_connections=16)
"""Few idle connections stay open: the pool compares each with every other at every call."""


class TimeBounds:
    """Bounds the parts of a call, and the whole of it; what ends late is a ModelUnreachable.

    Whatever else goes wrong inside goes through `translated`.
    """

    def __init__(
        self, times: ModelTimes, translated: Callable[[], AbstractContextManager[None]]
    ) -> None:
        self._times = times
        self._translated = translated

    def end(self) -> float:
        """Returns the time of the loop at which a call that begins now has to be over."""
        return asyncio.get_running_loop().time() + self._times.call_seconds

    def opening(self, ends: float) -> AbstractAsyncContextManager[asyncio.Timeout]:
        """Limits the code inside to the time that a provider has until its first byte."""
        seconds = self._times.connect_seconds + self._times.first_byte_seconds
        return self.within(seconds, "no answer", ends)

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
                whole = f"the call took more than {self._times.call_seconds:g} s"
                raise ModelUnreachable(
                    whole if loop.time() >= ends else f"{what} for {seconds:g} s"
                ) from None


def unreached(error: Exception, secrets: Sequence[str]) -> ModelUnreachable:
    """Returns the fault for an error of a library, without its cause, which may hold headers."""
    cause = error.__cause__ or error
    words = without_secrets(f"{type(cause).__name__} {cause}".strip(), secrets)
    return ModelUnreachable(words[:200])
