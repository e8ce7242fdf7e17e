"""Seats: they limit how many chats are delivered to at a time; and one process for each chat."""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from bot.domain.talk.errors import StoreError
from bot.domain.value import frozen
from bot.ports.clock import Clock
from bot.ports.peers import NoPeers, Peers

_LOG = logging.getLogger(__name__)

_PAUSES = (0.1, 0.2, 0.4)
"""Seconds between the tries to deliver to a chat to which another process delivers."""


class Office(Protocol):
    """Knows who delivers to a chat."""

    async def elsewhere(self, chat: int) -> bool:
        """Returns True when another process delivers to the chat."""
        ...

    def ring(self, chat: int) -> None:
        """Tells that process that something is owed to the chat."""
        ...


class OnlyProcess:
    """The office of a program of one process."""

    async def elsewhere(self, chat: int) -> bool:
        del chat
        return False

    def ring(self, chat: int) -> None: ...


class Seats:
    """Gives seats in the order of the requests; `call` starts the delivery to a chat with one."""

    def __init__(self, most: int, call: Callable[[int], None]) -> None:
        self._free = most
        self._call = call
        # A chat has a future here when its courier exists already and waits to try again.
        self._line: dict[int, asyncio.Future[None] | None] = {}

    def want(self, chat: int) -> None:
        """Puts the chat in line; `call` is called with it as soon as there is a seat."""
        self._line.setdefault(chat)
        self._give()

    async def again(self, chat: int) -> None:
        """Waits for a seat at the end of the line."""
        self._line[chat] = waiter = asyncio.get_running_loop().create_future()
        self._give()
        await waiter

    def leave(self) -> None:
        self._free += 1
        self._give()

    def _give(self) -> None:
        while self._line and self._free:
            chat = next(iter(self._line))
            waiter = self._line.pop(chat)
            if waiter is None:
                self._free -= 1
                self._call(chat)
            elif not waiter.done():
                self._free -= 1
                waiter.set_result(None)


@frozen
class Seat:
    """The seat of one chat; `_working` is told when its courier pauses and when it works again."""

    _chat: int
    _seats: Seats
    _working: Callable[[bool], None]

    def rest(self) -> None:
        """Notes a pause, in which the courier has no seat."""
        self._working(False)

    async def again(self) -> None:
        """Waits for a seat after a pause."""
        self._working(True)
        await self._seats.again(self._chat)

    def leave(self) -> None:
        self._seats.leave()


class Admission:
    """Lets this process deliver to a chat to which no other one does."""

    def __init__(
        self, clock: Clock, peers: Peers | None = None, office: Office | None = None
    ) -> None:
        self._clock = clock
        self._office = OnlyProcess() if office is None else office
        self._left: set[int] = set()
        self._peers = NoPeers() if peers is None else peers
        self.refused: set[int] = set()
        """Chats to which another process delivered a moment ago."""

    @property
    def alone(self) -> bool:
        """True where no other process can ever deliver."""
        return isinstance(self._peers, NoPeers)

    async def get(self, chat: int) -> bool:
        """Returns False when another process goes on delivering to the chat."""
        for pause in _PAUSES:
            try:
                if await self._office.elsewhere(chat):
                    self._office.ring(chat)
                    self._left.add(chat)
                    return False
                if await self._peers.take_delivery(chat):
                    if chat in self._left:
                        # What the other process has sent may stand on the screen.
                        self._left.discard(chat)
                        self.refused.add(chat)
                    return True
            except StoreError as fault:
                _LOG.log(fault.level, "a delivery has to wait: %s", fault, extra={"chat": chat})
            self.refused.add(chat)
            await self._clock.sleep(pause)
        return False

    async def still(self, chat: int) -> bool:
        """Returns False when the chat has another process by now; raises StoreError."""
        if await self._office.elsewhere(chat):
            self._office.ring(chat)
            self._left.add(chat)
            return False
        return await self._peers.take_delivery(chat)

    async def concerns(self, chat: int) -> bool:
        """Returns False when another process delivers to the chat, and knows of what is owed."""
        try:
            return not await self._office.elsewhere(chat)
        except StoreError:
            return True

    def give_back(self, chat: int) -> None:
        self.refused.discard(chat)
        self._peers.leave_delivery(chat)
