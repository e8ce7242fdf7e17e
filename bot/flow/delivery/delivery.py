"""Delivery: brings what is owed to people to their screens, in order, whatever the way is like."""

import asyncio
import random
from collections.abc import Mapping
from functools import partial
from types import TracebackType
from typing import Self

from bot.domain.budget import Limits
from bot.flow.delivery.courier import Courier, GivenUp, Jitter, Means, ToldOfMove
from bot.flow.delivery.seats import Seats
from bot.ports.channel import Channel
from bot.ports.clock import Clock
from bot.ports.outbox import Outbox


class Delivery:
    """Delivers the rows of each chat in order, in a task of its own; a chat at rest costs nothing.

    At most `at_work` chats are delivered to at a time; the others stand in line without a task.
    Use as an async context manager: leaving cancels what is under way and waits for its end; the
    rows stay owed.
    """

    def __init__(
        self,
        outbox: Outbox,
        channels: Mapping[str, Channel],
        clock: Clock,
        given_up: GivenUp,
        moved: ToldOfMove,
        limits: Limits,
        at_work: int = 256,
        jitter: Jitter = random.random,
    ) -> None:
        life, seats = float(limits.card_seconds), Seats(at_work, self._start)
        self._means = Means(outbox, channels, clock, given_up, moved, life, jitter, seats)
        self._group = asyncio.TaskGroup()
        self._couriers: dict[int, Courier] = {}
        self._woken_at: dict[int, float] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._moving: set[int] = set()
        self._still = asyncio.Event()
        self._still.set()
        self._closing = False

    async def __aenter__(self) -> Self:
        await self._group.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        for task in self._tasks.values():
            task.cancel()
        await self._group.__aexit__(kind, error, trace)

    async def resume(self) -> None:
        """Takes up what was owed when the program ended."""
        for chat in await self._means.outbox.chats_owed():
            self.wake(chat)

    def wake(self, chat: int) -> None:
        """Has what is owed to a chat delivered soon; a wake-up is never lost."""
        if self._closing:
            return
        if chat in self._couriers:
            self._couriers[chat].wake()
        elif chat not in self._woken_at:
            self._woken_at[chat] = self._means.clock.steady()
            self._moved(chat, True)
            self._means.seats.want(chat)

    def _start(self, chat: int) -> None:
        woken_at = self._woken_at.pop(chat)
        if self._closing:
            return
        courier = Courier(chat, self._means, partial(self._moved, chat), woken_at)
        self._couriers[chat] = courier
        task = self._group.create_task(courier.work(), name=f"delivery {chat}")
        self._tasks[chat] = task
        task.add_done_callback(partial(self._let_go, chat))

    async def flushed(self) -> None:
        """Returns when nothing is being delivered; what waits for a better time is not."""
        await self._still.wait()

    def _let_go(self, chat: int, _: asyncio.Task[None]) -> None:
        """Runs when a courier has ended, in one step with the last look for a wake-up."""
        del self._tasks[chat]
        courier = self._couriers.pop(chat)
        if courier.look_again:
            self.wake(chat)
        else:
            self._moved(chat, False)

    def _moved(self, chat: int, moving: bool) -> None:
        if moving:
            self._moving.add(chat)
            self._still.clear()
            return
        self._moving.discard(chat)
        if not self._moving:
            self._still.set()
