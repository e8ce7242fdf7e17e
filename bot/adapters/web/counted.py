"""A short wait until a press counts, for browsers that load the page again after it."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from starlette.requests import Request

from bot.ports.clock import Clock

_LOOKS, _BETWEEN = 20, 0.05
"""The number of looks at a press that came without a script, and the seconds between."""

T = TypeVar("T")


async def counted(
    request: Request, clock: Clock, look: Callable[[], Awaitable[T | None]], before: T
) -> None:
    """Waits a moment until what was pressed has changed; where a script runs, it tells that later.

    `look` returns it as it stands now.
    """
    if request.headers.get("sec-fetch-mode") != "navigate":
        return
    for _ in range(_LOOKS):
        if await look() != before:
            return
        await clock.sleep(_BETWEEN)
