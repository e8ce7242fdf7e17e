"""Few messages are sent and not recorded at a time: after a death each has to be looked for."""

import asyncio
from collections.abc import Collection
from dataclasses import replace
from datetime import datetime
from functools import partial

import pytest

from bot.domain.talk.errors import FloodWait, StoreError
from bot.domain.talk.limits import SendRates
from bot.domain.talk.message import Address, Piece
from bot.flow.delivery.doubts import MOST_NOTED, MOST_UNRECORDED, OF_OLDER, Doubts
from bot.ports.outbox import Delivered, OutboxRow
from bot.ports.sightings import Pace, Traces, unhurried
from tests.fakes.clock import FakeClock
from tests.fakes.store import MemoryOutbox
from tests.flow.delivery.delivering import (
    ANN,
    LOST,
    UNREACHABLE,
    CountingOutbox,
    RoughChannel,
    World,
    answer,
)


class StuckOutbox(CountingOutbox):
    """An outbox that takes no record until it is told to."""

    def __init__(self, outbox: MemoryOutbox) -> None:
        super().__init__(outbox)
        object.__setattr__(self, "opened", asyncio.Event())

    opened: asyncio.Event

    async def record(self, delivered: Delivered) -> None:
        await self.opened.wait()
        await super().record(delivered)


class RefusingOutbox(CountingOutbox):
    """An outbox that takes no note until it is told to."""

    def __init__(self, outbox: MemoryOutbox) -> None:
        super().__init__(outbox)
        object.__setattr__(self, "notes", False)

    notes: bool

    async def note_sending(
        self, chats: Collection[int], over: Collection[int], at: datetime
    ) -> None:
        if not self.notes:
            raise StoreError("no note is taken")
        await super().note_sending(chats, over, at)


async def test_while_no_record_is_taken_few_messages_are_sent() -> None:
    world = await World().open()
    stuck = StuckOutbox(world.store.outbox)
    world.outbox = stuck
    world.rates = SendRates(None, None, None)
    await world.show_in_many(100)
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(5)
        assert len(world.channel.screen) == MOST_UNRECORDED
        stuck.opened.set()
        await world.clock.advance(5)
        assert len(world.channel.screen) == 100


@pytest.mark.parametrize("comes_back", [True, False], ids=["it works again", "a minute later"])
async def test_a_message_waits_for_a_store_that_does_not_work_a_minute_at_most(
    comes_back: bool,
) -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.works = False
    await world.show("k", answer("text"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(30)
        assert world.texts == []
        world.works = comes_back
        await world.clock.advance(5 if comes_back else 31)
        assert world.texts == ["text"]


async def test_what_has_no_row_goes_though_the_store_does_not_work() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.works = False
    async with world.delivery() as delivery:
        channel = delivery._channels["fake"]
        await channel.send(ANN, channel.split(answer("The disk is full."))[0])
    assert world.texts == ["The disk is full."]


class WatchedOutbox(CountingOutbox):
    """An outbox that tells at each note what stands on the screen."""

    def __init__(self, world: World) -> None:
        super().__init__(world.store.outbox)
        object.__setattr__(self, "notes", [])
        object.__setattr__(self, "world", world)

    notes: list[tuple[int, int, int]]
    world: World

    async def note_sending(
        self, chats: Collection[int], over: Collection[int], at: datetime
    ) -> None:
        self.notes.append((len(chats), len(over), len(self.world.channel.screen)))
        await super().note_sending(chats, over, at)


async def test_a_chat_is_noted_before_the_first_message_to_it_and_not_again() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.outbox = watched = WatchedOutbox(world)
    async with world.delivery() as delivery:
        for key in ("one", "two", "three"):
            await world.show(key, answer(key))
            delivery.wake(world.ann)
            await world.clock.advance(1)
    assert world.texts == ["one", "two", "three"]
    assert watched.notes == [(1, 0, 0)]


async def test_few_chats_stay_noted_and_those_of_messages_under_way_do() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.outbox = stuck = StuckOutbox(world.store.outbox)
    await world.show_in_many(4 * MOST_NOTED)
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(5)
        shown = {one.address for one in world.channel.screen.values()}
        chats = {chat.id: chat.address for chat in world.store.rows.chats.values()}
        assert shown <= {chats[one] for one in world.store.rows.sending}
        stuck.opened.set()
        await world.clock.advance(5)
        assert len(world.channel.screen) == 4 * MOST_NOTED
    assert len(world.store.rows.sending) <= MOST_NOTED


async def test_nothing_is_sent_while_a_chat_cannot_be_noted() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.outbox = refusing = RefusingOutbox(world.store.outbox)
    await world.show("k", answer("text"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(5)
        assert world.texts == []
        object.__setattr__(refusing, "notes", True)
        await world.clock.advance(60)
        assert world.texts == ["text"]
    # It was never sent before, so nobody looked for it.
    assert world.channel.searched == []


async def test_for_a_day_after_an_upgrade_everything_that_is_owed_is_looked_for() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    await world.outbox.note_sending([OF_OLDER], [], world.clock.now())
    await world.show("k", answer("text"))
    await world.clock.advance(1)
    async with world.delivery() as delivery:
        await delivery.gain()
        await world.clock.advance(5)
    assert world.channel.searched == ["text"]
    await world.clock.advance(86_400)
    await world.show("later", answer("later"), world.bob)
    await world.clock.advance(1)
    async with world.delivery() as delivery:
        await delivery.gain()
        await world.clock.advance(5)
    assert world.channel.searched == ["text"]


async def test_an_heir_looks_for_what_is_owed_to_noted_chats_alone() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    await world.show("to ann", answer("to ann"))
    await world.show("to bob", answer("to bob"), world.bob)
    over = await world.store.chats.at(Address("fake", "over"), private=True)
    await world.outbox.note_sending([world.bob, over.id], [], world.clock.now())
    await world.clock.advance(1)
    async with world.delivery() as delivery:
        await delivery.gain()
        await world.clock.advance(5)
    assert world.channel.searched == ["to bob"]
    assert sorted(one.text for one in world.channel.screen.values()) == ["to ann", "to bob"]
    # Nothing is owed to that chat: the note of it is over.
    assert over.id not in world.store.rows.sending


class BlindChannel(RoughChannel):
    """A channel in which nothing can be looked for at first."""

    blind = True

    async def find(
        self, to: Address, piece: Piece | None, traces: Traces, *, pace: Pace = unhurried
    ) -> str | None:
        if self.blind:
            raise UNREACHABLE
        return await super().find(to, piece, traces, pace=pace)


@pytest.mark.parametrize("seconds", [0.1, 2.0], ids=["before a search", "after one that failed"])
async def test_a_chat_stays_noted_while_a_message_to_it_may_stand(seconds: float) -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.channel = channel = BlindChannel()
    channel.fates.append((LOST, True))
    await world.show("k", answer("text"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(seconds)
        await world.show_in_many(2 * MOST_NOTED)
        await delivery.resume()
        await world.clock.advance(0.1)
        assert len(world.channel.screen) == 2 * MOST_NOTED + 1
    # The process ends before it has found the message.
    channel.blind = False
    async with world.delivering():
        assert world.texts == ["text"]


async def test_chats_that_must_be_silent_delay_no_other_one() -> None:
    world = await World().open()
    world.rates = SendRates(None, None, None)
    world.channel.fates.extend([FloodWait(20)] * MOST_UNRECORDED)
    await world.show_in_many(MOST_UNRECORDED)
    async with world.delivery() as delivery:
        await delivery.resume()
        await world.clock.advance(1)
        await world.show("k", answer("text"))
        delivery.wake(world.ann)
        await world.clock.advance(1)
        assert world.texts == ["text"]


async def test_a_chat_that_is_taken_over_is_searched_up_to_that_moment() -> None:
    """A version that knows no posts sends beside the process that has the post."""
    clock = FakeClock()
    since = clock.now()
    await clock.advance(30)
    for refused, until in ((False, since), (True, clock.now())):
        told = partial(bool, refused)
        doubts = Doubts(clock, since, lambda: since, 0.0, told, _stands_nowhere, _beside_none)
        await doubts.look(())
        assert doubts.until == until


async def _stands_nowhere(row: OutboxRow) -> None:
    del row


async def _beside_none(row: OutboxRow) -> bool:
    del row
    return False


@pytest.mark.parametrize("beside", [True, False])
async def test_what_an_older_version_sent_beside_the_post_is_searched_up_to_now(
    *, beside: bool
) -> None:
    """It has ended by now, so it refuses nothing, and its row is newer than the post."""
    clock = FakeClock()
    since = clock.now()
    await clock.advance(30)
    world = await World().open()
    await world.show("k", answer("text"))
    (owed,) = await world.outbox.owed(world.ann)
    row = replace(owed, ours=False, created_at=clock.now())

    async def older(_: OutboxRow) -> bool:
        return beside

    async def stands(one: OutboxRow) -> datetime:
        return one.created_at

    doubts = Doubts(clock, since, lambda: since, clock.steady(), partial(bool), stands, older)
    await doubts.look([row])
    assert (doubts.since(row) is not None, doubts.until == clock.now()) == (beside, beside)
