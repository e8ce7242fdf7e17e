"""The messages that this run of the program sends: those under way, and the newest numbers."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from bot.adapters.telegram.finding import counter_of
from bot.domain.talk.message import Address

_KEPT = 2_000


class Sends:
    """Tells a message of this run, which has its number only when its sending has ended."""

    def __init__(self) -> None:
        self._given: dict[tuple[str, str], deque[tuple[datetime, int]]] = {}
        self._numbers: deque[tuple[str, int]] = deque(maxlen=_KEPT)
        self._under_way: dict[str, set[asyncio.Event]] = {}

    def first(self, to: Address, after: datetime) -> int | None:
        """Returns the first number that the counter of a chat gave to what was sent after a time.

        What was sent before that time is below it. Of many numbers the newest are known.
        """
        given = self._given.get(counter_of(to), ())
        return next((number for began, number in given if began > after), None)

    @contextmanager
    def sending(self, to: Address) -> Iterator[Callable[[str], None]]:
        """Yields what takes the number of a message that is sent in this block."""
        ended, began = asyncio.Event(), datetime.now(UTC)
        under_way = self._under_way.setdefault(to.chat, set())
        under_way.add(ended)

        def note(number: str) -> None:
            self._numbers.append((to.chat, int(number)))
            given = self._given.setdefault(counter_of(to), deque(maxlen=_KEPT))
            given.append((began, int(number)))

        try:
            yield note
        finally:
            ended.set()
            under_way.discard(ended)
            if not under_way:
                self._under_way.pop(to.chat, None)

    async def made(self, to: Address, number: int) -> bool:
        """Tells if a message of a chat is one of this run; those under way have to end first."""
        for ended in tuple(self._under_way.get(to.chat, ())):
            await ended.wait()
        return (to.chat, number) in self._numbers
