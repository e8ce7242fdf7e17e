"""A delivery with its store, a rough channel and a clock, for one process after another."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime

import pytest

from bot.domain.change import Change, Show
from bot.domain.talk.errors import (
    ChannelError,
    ChannelUnreachable,
)
from bot.domain.talk.limits import Limits, SendRates
from bot.domain.talk.message import Address, Button, Outbound, OutboundKind, Piece, Plain, RawUpdate
from bot.flow.delivery.delivery import Delivery
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.flow.delivery.outlet import Outlet, Reports
from bot.ports.channel import Channel
from bot.ports.outbox import Delivered, OutboxRow
from bot.ports.sightings import Pace, Traces, unhurried
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryOutbox, MemoryStore

ANN, BOB = Address("fake", "1"), Address("fake", "2")
UNREACHABLE = ChannelUnreachable("no route", maybe_done=False)
LOST = ChannelUnreachable("the answer was lost", maybe_done=True)
YES = ((Button("Yes", "y"),),)


def answer(text: str) -> Outbound:
    return Outbound(OutboundKind.ANSWER, (Plain(text),))


def card(text: str) -> Outbound:
    return Outbound(OutboundKind.CARD, (Plain(text),), YES)


class CountingOutbox(MemoryOutbox):
    """The outbox in memory with an await before and after the work, and faults by wish."""

    def __init__(self, outbox: MemoryOutbox) -> None:
        super().__init__(outbox.rows)
        object.__setattr__(self, "calls", list[str]())
        object.__setattr__(self, "faults", deque[Exception | None]())

    calls: list[str]
    faults: deque[Exception | None]

    async def owed(self, chat: int, after: int = 0) -> Sequence[OutboxRow]:
        self.calls.append("owed")
        await asyncio.sleep(0)
        rows = await MemoryOutbox.owed(self, chat, after)
        await asyncio.sleep(0)
        return rows

    async def record(self, delivered: Delivered) -> None:
        self.calls.append("record")
        await asyncio.sleep(0)
        if self.faults and (fault := self.faults.popleft()) is not None:
            raise fault
        await MemoryOutbox.record(self, delivered)
        await asyncio.sleep(0)


Fate = Exception | tuple[ChannelError, bool] | None
"""What happens to a send or edit: a fault before the work, one with `done` set, or nothing."""


class RoughChannel(FakeChannel):
    """A channel with an await before and after the work, and a fate for each send and edit."""

    def __init__(self, limit: int = 4096) -> None:
        super().__init__(limit=limit)
        self.fates = deque[Fate]()
        self.sent = list[str]()
        self.searched = list[str]()
        self.since = list[datetime]()
        self.before_each: Callable[[], Awaitable[None]] | None = None

    async def send(self, to: Address, piece: Piece, *, once: str = "") -> str:
        await self._meet_fate()
        try:
            return await FakeChannel.send(self, to, piece, once=once)
        finally:
            await asyncio.sleep(0)

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        self.since.append(traces.since)
        self.searched.append("" if piece is None else str(piece.body["text"]))
        return await FakeChannel.find(self, to, piece, traces, pace=pace)

    async def edit(self, to: Address, message_id: str, piece: Piece | None) -> None:
        await self._meet_fate()
        await FakeChannel.edit(self, to, message_id, piece)
        await asyncio.sleep(0)

    async def _meet_fate(self) -> None:
        await asyncio.sleep(0)
        if self.before_each is not None:
            await self.before_each()
        fate = self.fates.popleft() if self.fates else None
        if isinstance(fate, tuple):
            self.fail_next(fate[0], done=fate[1])
        elif fate is not None:
            raise fate


class World:
    """A store with two chats, a channel, and as many processes one after another as wanted."""

    def __init__(self, limit: int = 4096) -> None:
        self.clock = FakeClock()
        self.store = MemoryStore(self.clock.now)
        self.outbox = CountingOutbox(self.store.outbox)
        self.channel = RoughChannel(limit)
        self.given_up: list[tuple[str, str]] = []
        self.moves: list[tuple[str, RawUpdate]] = []
        self.ann = self.bob = 0
        self.rates: SendRates | None = None
        """The rates of a flood gate before the channel; there is none at first."""
        self.works = True
        """False while the store does not work."""

    async def open(self) -> "World":
        self.ann = (await self.store.chats.at(ANN, private=True)).id
        self.bob = (await self.store.chats.at(BOB, private=True)).id
        return self

    async def show(self, key: str, content: Outbound, chat: int = 0) -> None:
        write = Show(key, chat or self.ann, content)
        await self.store.journal.commit(Change((write,)))

    async def show_in_many(self, chats: int) -> None:
        """Owes a message to each of so many other chats."""
        for n in range(chats):
            chat = await self.store.chats.at(Address("fake", f"many{n}"), private=True)
            await self.show(f"k{n}", answer("text"), chat.id)

    async def moved(self, channel: str, update: RawUpdate) -> None:
        self.moves.append((channel, update))

    def delivery(self) -> Delivery:
        async def told(row: OutboxRow, why: str) -> None:
            self.given_up.append((row.key, why))

        channels: dict[str, Channel] = {"fake": self.channel}
        if self.rates is not None:
            self.channel.gated = True
            channels = {"fake": GatedChannel(self.channel, FloodGate(self.rates, self.clock))}
        return Delivery(
            Outlet(self.outbox, channels, self.clock, lambda: self.works),
            Reports(told, self.moved),
            Limits().card_seconds,
            jitter=lambda: 0.0,
        )

    @asynccontextmanager
    async def delivering(self) -> AsyncIterator[Delivery]:
        async with self.delivery() as delivery:
            await delivery.resume()
            await delivery.flushed()
            yield delivery

    def row(self, key: str) -> OutboxRow:
        return self.store.rows.outbox[key]

    @property
    def texts(self) -> list[str]:
        return self.channel.texts(ANN)

    async def until_nothing_is_owed(self, step: float = 61.0) -> None:
        for _ in range(200):
            await self.clock.advance(step)
            if not await self.store.outbox.chats_owed():
                return
        pytest.fail(f"still owed: {await self.store.outbox.owed(self.ann)}")
