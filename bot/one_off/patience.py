"""Waits a moment for a program that is just starting or ending in the same home."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from bot.domain.talk.errors import FolderHeld

_SECONDS = 20.0
_EVERY = 0.3


async def first_that_opens(
    visit: Callable[[], Awaitable[int | None]], here: Callable[[], Awaitable[int]]
) -> int:
    """Visits the running program, or does the work here where none runs; returns the exit code.

    A program holds its home for a moment before its door is open, and after it is closed.
    """
    until = time.monotonic() + _SECONDS
    while True:
        code = await visit()
        if code is not None:
            return code
        try:
            return await here()
        except FolderHeld:
            if time.monotonic() > until:
                raise
            await asyncio.sleep(_EVERY)
