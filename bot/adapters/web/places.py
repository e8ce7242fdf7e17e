"""Places that many want at once, as open streams or forms that come: how many there are."""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager


class NoPlace(Exception):
    """Whoever wants one more place has the most already."""


class Places:
    """Places of which each is held while a time-out runs.

    When all are taken, the oldest gives way of whoever has the most: so nobody keeps others out.
    With `lasting`, nobody takes a place of their own: of many that one person wants at once, the
    first ones get to their ends.
    """

    def __init__(self, most: int, *, lasting: bool = False) -> None:
        self._most = most
        self._lasting = lasting
        self._taken: dict[asyncio.Timeout, str] = {}
        self._closed = False

    @contextmanager
    def taken(self, patience: asyncio.Timeout, whose: str) -> Generator[None]:
        """Holds a place; when it has to be given up, the time-out ends. Raises NoPlace."""
        if len(self._taken) >= self._most:
            most, _ = Counter(self._taken.values()).most_common(1)[0]
            if self._lasting and most == whose:
                raise NoPlace
            self._end(next(one for one, of in self._taken.items() if of == most))
        self._taken[patience] = whose
        if self._closed:
            self._end(patience)
        try:
            yield
        finally:
            self._taken.pop(patience, None)

    def close(self) -> None:
        """Ends all that is under way, and everything later at once."""
        self._closed = True
        for patience in list(self._taken):
            self._end(patience)

    def _end(self, patience: asyncio.Timeout) -> None:
        self._taken.pop(patience, None)
        patience.reschedule(asyncio.get_running_loop().time())
