"""Delivers owed messages to people's screens, in order, through every fault of the network."""

import asyncio
from collections.abc import Iterable
from functools import partial

from bot.flow.activities import ActivityOwner, a_few_at_a_time
from bot.flow.delivery.courier import DRAWN, Courier, Jitter, Pauses
from bot.flow.delivery.doubts import Doubts, Unrecorded
from bot.flow.delivery.flood_gate import follow_another
from bot.flow.delivery.giving_up import GivingUp
from bot.flow.delivery.looking import Looking
from bot.flow.delivery.outlet import Outlet, Reports
from bot.flow.delivery.owed_rows import OwedRows
from bot.flow.delivery.passing import Passing
from bot.flow.delivery.seats import Admission, Seat, Seats
from bot.flow.delivery.showing import Showing

AT_WORK = 256
"""The most chats that are delivered to at a time."""


class Delivery(ActivityOwner):
    """Delivers the rows of each chat in order, in a task that exists while rows are owed.

    At most `AT_WORK` chats are delivered to at a time; the others stand in line without a task.
    Closing it cancels the running deliveries and waits for their end; their rows stay owed.
    """

    def __init__(
        self,
        outlet: Outlet,
        reports: Reports,
        card_seconds: float,
        jitter: Jitter = DRAWN,
        admission: Admission | None = None,
    ) -> None:
        super().__init__()
        clock = outlet.clock
        self._outbox = outlet.outbox
        self._channels = outlet.channels
        self._clock = clock
        self._unrecorded = Unrecorded(clock, outlet.works, outlet.channels, outlet.outbox)
        self._giving_up = GivingUp(outlet.outbox, reports.given_up, clock)
        self._moved = reports.moved
        self._looking = Looking(outlet.outbox)
        self._card_life = card_seconds
        self._jitter = jitter
        self._admission = Admission(clock) if admission is None else admission
        self._seats = Seats(AT_WORK, self._send_out)
        self._couriers: dict[int, Courier] = {}
        self._woken_at: dict[int, float] = {}
        self._working: set[int] = set()
        self._heard: set[int] = set()
        """The chats of rings that are being looked into."""
        self._still = asyncio.Event()
        self._still.set()
        self._opened_at = self._alone_since = clock.now()
        self.passing = Passing()

    async def resume(self) -> None:
        """Continues with the messages that were owed when the program ended."""
        async for chat in a_few_at_a_time(await self._outbox.chats_owed()):
            self.wake(chat)

    async def gain(self) -> None:
        """Continues with the messages of which another process may have sent some until now."""
        self._alone_since = self._clock.now()
        if not self._admission.alone:
            for channel in self._channels.values():
                follow_another(channel)
        await self._unrecorded.gain(await self._outbox.chats_owed())
        await self.resume()

    async def take_over(self, chats: Iterable[int]) -> None:
        """Delivers to chats that no process delivers to, and to those that were refused.

        Who delivered to them before may have sent what it did not record.
        """
        chats = [*chats]
        self._admission.refused.update(chats)
        self._unrecorded.look_again()
        async for chat in a_few_at_a_time({*chats, *self._admission.refused}):
            if chat not in self._couriers:
                self.wake(chat)

    def wake(self, chat: int) -> None:
        """Starts a delivery to a chat soon; a wake-up is never lost."""
        if not self.open:
            return
        if chat in self._couriers:
            self._couriers[chat].owed.wake()
        elif chat not in self._woken_at:
            self._woken_at[chat] = self._clock.steady()
            self._note_working(chat, True)
            self._seats.want(chat)

    def hear(self, chat: int) -> None:
        """Wakes a chat for which another process has rung, if this one delivers to it.

        A ring says nothing that the one before it did not say, until that one has been looked into.
        """
        if self.open and chat not in self._heard:
            # While the database is away, thousands of rings would wait for it, each by itself.
            self._heard.add(chat)
            self.start(self._hear(chat), f"rung for what is owed to {chat}")

    async def _hear(self, chat: int) -> None:
        try:
            concerned = await self._admission.concerns(chat)
        finally:
            self._heard.discard(chat)
        if concerned:
            self.wake(chat)

    def _send_out(self, chat: int) -> None:
        woken_at = self._woken_at.pop(chat)
        if not self.open:
            return
        courier = self._courier(chat, woken_at)
        self._couriers[chat] = courier
        task = self.start(self._work(chat, courier), f"delivery {chat}")
        task.add_done_callback(partial(self._let_go, chat))

    async def _work(self, chat: int, courier: Courier) -> None:
        """Has the courier work, unless another process delivers to the chat.

        That one may have looked before a wake-up that comes meanwhile, so it is told once more.
        """
        if not await self._admission.get(chat):
            self._seats.leave()
            return
        if chat in self._admission.refused:
            self._unrecorded.look_again()
        try:
            await courier.work()
        finally:
            self._admission.give_back(chat)

    def _courier(self, chat: int, woken_at: float) -> Courier:
        def refused() -> bool:
            return chat in self._admission.refused

        return Courier(
            chat,
            OwedRows(
                chat,
                self._outbox,
                self._channels,
                self._giving_up,
                self._clock,
                self.passing,
                self._card_life,
                woken_at,
            ),
            Showing(
                self._outbox,
                self._looking,
                self._channels,
                self._clock,
                self._unrecorded,
                self.passing,
                Doubts(
                    self._clock,
                    self._opened_at,
                    lambda: self._alone_since,
                    woken_at,
                    refused,
                    self._unrecorded.may_stand,
                    self._unrecorded.beside_older,
                ),
            ),
            self._giving_up,
            Seat(chat, self._seats, partial(self._note_working, chat)),
            Pauses(self._jitter),
            self._moved,
            partial(self._admission.still, chat),
        )

    async def flushed(self) -> None:
        """Waits until nothing is being delivered; a courier in a pause does not count."""
        await self._still.wait()

    def _let_go(self, chat: int, _: asyncio.Task[None]) -> None:
        """Removes a courier that has ended; wakes the chat again if a wake-up came meanwhile."""
        courier = self._couriers.pop(chat)
        if courier.owed.look_again:
            self.wake(chat)
        else:
            self._note_working(chat, False)

    def _note_working(self, chat: int, working: bool) -> None:
        if working:
            self._working.add(chat)
            self._still.clear()
            return
        self._working.discard(chat)
        if not self._working:
            self._still.set()
