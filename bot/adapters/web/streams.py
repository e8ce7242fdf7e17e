"""Open streams of events: how many there may be, and when each ends."""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

MOST = 520
"""Streams of one program. Above them the oldest gives way of the session that has the most."""


class Streams:
    """The streams that are open; the time-out of each ends it."""

    def __init__(self) -> None:
        self._open: dict[asyncio.Timeout, str] = {}
        self._closed = False

    @contextmanager
    def open(self, patience: asyncio.Timeout, session: str) -> Generator[None]:
        """Holds a place for a stream."""
        if len(self._open) >= MOST:
            most, _ = Counter(self._open.values()).most_common(1)[0]
            self._end(next(one for one, of in self._open.items() if of == most))
        self._open[patience] = session
        if self._closed:
            self._end(patience)
        try:
            yield
        finally:
            self._open.pop(patience, None)

    def close(self) -> None:
        """Ends all streams, and every later one at once."""
        self._closed = True
        for patience in list(self._open):
            self._end(patience)

    def _end(self, patience: asyncio.Timeout) -> None:
        self._open.pop(patience, None)
        patience.reschedule(asyncio.get_running_loop().time())
