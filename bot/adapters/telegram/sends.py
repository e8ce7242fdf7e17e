"""The messages that this run of the program sends: those under way, and the newest numbers."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.adapters.telegram.finding import counter_of
from bot.domain.talk.message import Address

_KEPT = 2_000


class Sends:
    """Tells a message of this run, which has its number only when its sending has ended."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, str], int] = {}
        self._numbers: deque[tuple[str, int]] = deque(maxlen=_KEPT)
        self._under_way: dict[str, set[asyncio.Event]] = {}

    def first(self, to: Address) -> int | None:
        """Returns the first number that the counter of a chat has given to a message of this run.

        What an earlier run has sent is below it.
        """
        return self._first.get(counter_of(to))

    @contextmanager
    def sending(self, to: Address) -> Iterator[Callable[[str], None]]:
        """Yields what takes the number of a message that is sent in this block."""
        ended = asyncio.Event()
        under_way = self._under_way.setdefault(to.chat, set())
        under_way.add(ended)

        def note(number: str) -> None:
            self._numbers.append((to.chat, int(number)))
            self._first.setdefault(counter_of(to), int(number))

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
