"""Messages that stand beside the owed ones for a while: growing answers."""

import asyncio
from collections import OrderedDict
from weakref import WeakValueDictionary

from bot.flow.delivery.strays import Strays

_MOST_TAKEN = 1_000


class Passing:
    """Keeps those who show, look for and take away messages of a chat out of each other's way.

    A message that is being shown has no id yet, so a search could take it for the one it wants.
    `strays` tells of those whose ids may stay unknown.
    """

    def __init__(self) -> None:
        self.strays = Strays()
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()
        self._taken: OrderedDict[tuple[int, str], None] = OrderedDict()

    def beside(self, chat: int) -> asyncio.Lock:
        """Returns the lock of a chat; one that nobody holds is forgotten."""
        lock = self._locks.get(chat)
        if lock is None:
            lock = self._locks[chat] = asyncio.Lock()
        return lock

    def take(self, chat: int, message_id: str) -> None:
        """Notes that a message was taken from the screen; the newest thousand are known."""
        self._taken[chat, message_id] = None
        while len(self._taken) > _MOST_TAKEN:
            self._taken.popitem(last=False)

    def took(self, chat: int, message_id: str) -> bool:
        return (chat, message_id) in self._taken
