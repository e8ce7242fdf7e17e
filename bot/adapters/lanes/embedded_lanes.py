"""Lanes of a single process: one task for each chat that has work."""

import asyncio
import logging
from collections.abc import Iterator
from functools import partial
from typing import Any, Self

from bot.domain.talk.errors import StoreUnavailable
from bot.ports.clock import Clock
from bot.ports.lanes import Drain

_log = logging.getLogger(__name__)

FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 60.0
STORE_DELAY_SECONDS = 1.0
"""No longer each time: the store itself has waited, and the chat goes on when it is back."""


class EmbeddedLanes:
    """Drains each chat in a task of its own, never twice at once; an idle chat costs nothing.

    At most `at_work` chats are drained at a time. The others stand in line as numbers, not as
    tasks, so ten thousand of them cost almost no memory. A drain that fails is logged and tried
    again after 1 s, then after twice as long each time, up to a minute; only a store that cannot
    work now is asked every second. Meanwhile it takes no room from other chats. Use as an async
    context manager: leaving cancels every drain and waits for it.
    """

    def __init__(self, drain: Drain, clock: Clock, at_work: int = 256) -> None:
        self._drain = drain
        self._clock = clock
        self._most = at_work
        self._group = asyncio.TaskGroup()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._at_work: set[int] = set()
        # The value is a future when the chat's task exists already: it failed and will try again.
        self._line: dict[int, asyncio.Future[None] | None] = {}
        self._again: set[int] = set()
        self._closing = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(self, *ended: Any) -> None:
        self._closing = True
        for task in self._tasks.values():
            task.cancel()
        await self._group.__aexit__(*ended)

    def wake(self, chat: int) -> None:
        """Drains the chat soon; a wake-up during a drain causes another drain after it."""
        if self._closing:
            return
        if chat in self._tasks:
            self._again.add(chat)
        else:
            self._line.setdefault(chat)
            self._call_in()

    def interrupt(self, chat: int) -> None:
        """Cancels the chat's drain, or its wait for one, then drains the chat anew."""
        self.wake(chat)
        if chat in self._again:
            self._tasks[chat].cancel()

    def _call_in(self) -> None:
        """Starts the first chats in line, as long as there is room."""
        while self._line and len(self._at_work) < self._most and not self._closing:
            chat = next(iter(self._line))
            waiter = self._line.pop(chat)
            self._at_work.add(chat)
            if waiter is None:
                self._start(chat)
            elif not waiter.done():
                waiter.set_result(None)

    def _start(self, chat: int) -> None:
        task = self._group.create_task(self._work(chat), name=f"lane {chat}")
        self._tasks[chat] = task
        task.add_done_callback(partial(self._let_go, chat))

    def _let_go(self, chat: int, _: asyncio.Task[None]) -> None:
        """Runs when the task has ended, in one step with the last look for a wake-up."""
        del self._tasks[chat]
        self._at_work.discard(chat)
        self._line.pop(chat, None)
        if chat in self._again:
            self._again.discard(chat)
            self.wake(chat)
        self._call_in()

    async def _work(self, chat: int) -> None:
        delays = _delays()
        while (delay := await self._drained(chat, delays)) is not None and not self._closing:
            self._at_work.discard(chat)
            self._call_in()
            await self._clock.sleep(delay)
            self._line[chat] = waiter = asyncio.get_running_loop().create_future()
            self._call_in()
            await waiter

    async def _drained(self, chat: int, delays: Iterator[float]) -> float | None:
        """Returns the seconds until the drain is tried again; None when nothing is left to do."""
        try:
            await self._drain(chat)
        except StoreUnavailable as fault:
            # The store fails for every chat: a trace for each chat and try would bury other lines.
            _log.error("the lane of a chat has to wait: %s", fault, extra={"chat": chat})
            return STORE_DELAY_SECONDS
        except Exception:  # the border of a lane: one chat's fault stays its own
            _log.exception("the lane of a chat failed", extra={"chat": chat})
            return next(delays)
        return None


def _delays() -> Iterator[float]:
    delay = FIRST_DELAY_SECONDS
    while True:
        yield delay
        delay = min(2 * delay, LONGEST_DELAY_SECONDS)
