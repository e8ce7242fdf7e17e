"""Lanes of several processes on one store: a chat is drained by the process that owns it."""

import asyncio
import logging
from collections.abc import Collection, Sequence
from typing import Any, Self

from bot.adapters.lanes.embedded_lanes import EmbeddedLanes
from bot.domain.talk.errors import StoreError
from bot.ports.bell import Bell, Peal
from bot.ports.clock import Clock
from bot.ports.lanes import ChatWithWork, Drain, OwnedChats

_log = logging.getLogger(__name__)

LOOK_SECONDS = 1.5
"""Seconds between two looks at what other processes have stored or left behind."""

_LEAVING_SECONDS = 2.0
"""Seconds that the end of a process waits for the store."""

STOP_SECONDS = 2 * LOOK_SECONDS
"""Seconds that a drain has after an interruption before a stop interrupts it once more."""


class SharedLanes:
    """Drains the chats that this process can own, and looks for work that nobody does.

    A chat of another process is left to it: it is rung, and looks at its rows. A ring can be lost;
    so the next look tries again. The look wakes a chat once for the same work, so that work which
    has to wait costs nothing. A stop that another process has stored interrupts the drain once.
    """

    def __init__(
        self, drain: Drain, clock: Clock, owned: OwnedChats, bell: Bell, at_work: int = 256
    ) -> None:
        self._drain = drain
        self._clock = clock
        self._owned = owned
        self._bell = bell
        self._lanes = EmbeddedLanes(self._drain_owned, clock, at_work)
        self._group = asyncio.TaskGroup()
        self._looking: asyncio.Task[None]
        self._freeing: asyncio.Task[None]
        self._at_work: set[int] = set()
        self._refused: set[int] = set()
        self._to_ring: dict[int, Peal] = {}
        """The calls for which the owner of a chat is rung, if it is another process."""
        self._known: dict[int, str] = {}
        self._interrupted: dict[int, float] = {}
        self._stopped: dict[int, frozenset[str]] = {}

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        await self._lanes.__aenter__()
        self._bell.hear(self._hear)
        self._looking = self._group.create_task(self._look(), name="look for work left behind")
        self._freeing = self._group.create_task(self._free(), name="free chats that are left")
        return self

    async def __aexit__(self, *ended: Any) -> None:
        self._looking.cancel()
        self._freeing.cancel()
        cut = {*self._at_work}
        try:
            await self._lanes.__aexit__(*ended)
        finally:
            await self._group.__aexit__(*ended)
            await self._hand_over(cut)

    async def _hand_over(self, chats: Collection[int]) -> None:
        """Frees the chats of this process, and rings for those whose work was cut."""
        try:
            async with asyncio.timeout(_LEAVING_SECONDS):
                await self._owned.look(0)
        except (StoreError, TimeoutError) as fault:
            _log.info("the chats are free when the connection ends: %s", fault)
        for chat in chats:
            self._bell.ring(Peal.WORK, chat)

    def wake(self, chat: int) -> None:
        if chat not in self._at_work:
            self._to_ring.setdefault(chat, Peal.WORK)
        self._lanes.wake(chat)

    def interrupt(self, chat: int) -> None:
        if chat in self._at_work:
            self._interrupted[chat] = self._clock.steady()
        else:
            self._to_ring[chat] = Peal.STOP
        self._lanes.interrupt(chat)

    def _hear(self, peal: Peal, chat: int) -> None:
        """Does what another process asks for; nobody is rung on behalf of it."""
        if peal is Peal.STOP and chat in self._at_work:
            self.interrupt(chat)
        elif peal in (Peal.WORK, Peal.STOP):
            self._lanes.wake(chat)

    async def _drain_owned(self, chat: int) -> None:
        peal = self._to_ring.pop(chat, None)
        try:
            if not await self._owned.take(chat):
                if peal is not None:
                    # Tried again at the next look: its work may be of a kind that no look finds.
                    self._refused.add(chat)
                    self._bell.ring(peal, chat)
                return
            self._at_work.add(chat)
            await self._drain(chat)
        finally:
            self._at_work.discard(chat)
            self._owned.leave(chat)

    async def _look(self) -> None:
        after = 0
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            try:
                look = await self._owned.look(after)
            except StoreError as fault:
                _log.warning("the work of other processes has to wait: %s", fault)
                continue
            for chat in look.robbed & self._at_work:
                _log.warning("chat %d has another owner now", chat)
                self.interrupt(chat)
            self._forget_all_but(look.found, after, look.up_to)
            self._try_again()
            for one in look.found:
                self._see(one)
            after = look.up_to or 0

    def _try_again(self) -> None:
        refused, self._refused = self._refused, set()
        for chat in refused:
            self._lanes.wake(chat)

    async def _free(self) -> None:
        while True:
            try:
                await self._owned.free()
            except StoreError as fault:
                _log.warning("a chat that is left has to wait: %s", fault)

    def _see(self, one: ChatWithWork) -> None:
        if one.chat in self._at_work:
            self._stop(one)
        elif self._known.get(one.chat) != one.mark:
            self._known[one.chat] = one.mark
            self._lanes.wake(one.chat)

    def _stop(self, one: ChatWithWork) -> None:
        """Interrupts a drain whose turn goes on though another process has stopped it."""
        if one.stopped <= self._stopped.get(one.chat, frozenset()):
            return
        if self._clock.steady() < self._interrupted.get(one.chat, -STOP_SECONDS) + STOP_SECONDS:
            # A stop of this process ends the turn right now.
            return
        self._stopped[one.chat] = one.stopped
        self.interrupt(one.chat)

    def _forget_all_but(self, found: Sequence[ChatWithWork], after: int, up_to: int | None) -> None:
        """Forgets the chats of a part that have no work any more."""
        with_work = {one.chat for one in found}
        for memory in (self._known, self._interrupted, self._stopped):
            for chat in [*memory]:
                if after < chat <= (up_to or chat) and chat not in with_work:
                    del memory[chat]
