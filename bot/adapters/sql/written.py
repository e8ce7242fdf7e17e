"""Tells those who look at the store that this process has changed something, and what."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

from bot.domain.change import Change
from bot.ports.outbox import Delivered


def _nobody(_: object) -> None:
    """Stands for somebody who counts."""


class Written:
    """Wakes everybody who watches, at each change."""

    def __init__(self) -> None:
        self._watching: set[asyncio.Event] = set()
        self.committed: Callable[[Change], None] = _nobody
        """Is told each change once it is committed."""
        self.delivered: Callable[[Delivered], None] = _nobody
        """Is told each result of a delivery."""
        self.times = 0
        """The number of changes so far."""

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
