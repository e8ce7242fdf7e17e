"""Pages that look again by themselves: nothing is made while nothing has changed."""

import asyncio
from contextlib import AbstractContextManager, suppress
from typing import Protocol

from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.web.places import Places
from bot.adapters.web.shell import visitor_of
from bot.ports.clock import Clock

MOST = 100
"""Pages that wait for news at the same time; one too many looks every few seconds instead."""

_OLDEST_SECONDS = 30
"""Seconds after which a page is made again although nothing was stored meanwhile."""

_WAIT_SECONDS = 20.0
_WAITS = "wait"
"""The value of the header `prefer` with which a page asks to be kept until there is news."""


class Changes(Protocol):
    """The changes of the store, also those of other processes that ring for them."""

    @property
    def times(self) -> int:
        """Returns the number of changes so far."""
        ...

    def watched(self) -> AbstractContextManager[asyncio.Event]:
        """Yields an event that is set at each change."""
        ...


class Looks:
    """Answers pages that look again."""

    def __init__(self, changes: Changes, clock: Clock) -> None:
        self._changes = changes
        self._clock = clock
        self._waiting = Places(MOST)

    @property
    def stamp(self) -> str:
        """Returns the tag of what a page shows after all changes so far."""
        return f'"{self._changes.times}-{int(self._clock.now().timestamp()) // _OLDEST_SECONDS}"'

    async def unchanged(self, request: Request) -> Response | None:
        """Returns the answer for a page that shows what there is; None if it lacks something.

        One that waits is told to look at once, with 204: a right of its person may end meanwhile.
        """
        if request.headers.get("if-none-match") != self.stamp:
            return None
        waits = request.headers.get("prefer") == _WAITS
        news = waits and await self._waited(visitor_of(request).whose)
        return Response(status_code=204 if news else 304)

    async def _waited(self, whose: str) -> bool:
        """Waits for a change, for a while; returns False if the place was needed for others."""
        try:
            async with asyncio.timeout(None) as patience:
                with self._waiting.taken(patience, whose), self._changes.watched() as changed:
                    with suppress(TimeoutError):
                        await asyncio.wait_for(changed.wait(), _WAIT_SECONDS)
                    return True
        except TimeoutError:
            return False

    def close(self) -> None:
        """Ends all waiting."""
        self._waiting.close()
