"""Tells those who look at the store that this process has changed something, and what."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

from bot.domain.change import Change
from bot.ports.outbox import Delivered


class Written:
    """Wakes everybody who watches, at each change."""

    def __init__(self) -> None:
        self._watching: set[asyncio.Event] = set()
        self._committed: tuple[Callable[[Change], None], ...] = ()
        self._delivered: tuple[Callable[[Delivered], None], ...] = ()
        self.times = 0
        """The number of changes so far."""

    def listen(
        self, committed: Callable[[Change], None], delivered: Callable[[Delivered], None]
    ) -> None:
        """Tells one each change once it is committed, and another each result of a delivery."""
        self._committed += (committed,)
        self._delivered += (delivered,)

    def committed(self, change: Change) -> None:
        for told in self._committed:
            told(change)

    def delivered(self, result: Delivered) -> None:
        for told in self._delivered:
            told(result)

    def tell(self) -> None:
        self.times += 1
        for event in self._watching:
            event.set()

    @contextmanager
    def watched(self) -> Generator[asyncio.Event]:
        """Yields an event that is set at each change."""
        event = asyncio.Event()
        self._watching.add(event)
        try:
            yield event
        finally:
            self._watching.discard(event)
