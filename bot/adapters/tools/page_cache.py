"""Keeps the pages of running turns for a while, so that paging fetches each only once."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import TypeAlias

from bot.domain.talk.picture import ImagePart
from bot.domain.value import frozen

Key: TypeAlias = tuple[int, str, str]
"""The chat, the turn and the address."""

_MOST_CHARACTERS = 8_000_000


@frozen
class FetchedPage:
    """A page as it was read: its words, or its picture."""

    address: str
    """The address that it came from in the end."""
    text: str
    picture: ImagePart | None = None

    @property
    def size(self) -> int:
        return len(self.text) + (len(self.picture.data) if self.picture is not None else 0)


class PageCache:
    """Holds pages of at most 8 million characters in all; the oldest go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, FetchedPage] = OrderedDict()
        self._size = 0
        self._locks: dict[Key, asyncio.Lock] = {}

    async def of(self, key: Key, fetched: Callable[[], Awaitable[FetchedPage]]) -> FetchedPage:
        """Returns the page of a turn; two equal calls side by side fetch it once."""
        lock = self._locks.setdefault(key, asyncio.Lock())
        try:
            async with lock:
                if key not in self._kept:
                    self._keep(key, await fetched())
                return self._kept[key]
        finally:
            if not lock.locked():
                self._locks.pop(key, None)

    def _keep(self, key: Key, page: FetchedPage) -> None:
        self._kept[key] = page
        self._size += page.size
        while self._size > _MOST_CHARACTERS and len(self._kept) > 1:
            _, old = self._kept.popitem(last=False)
            self._size -= old.size
