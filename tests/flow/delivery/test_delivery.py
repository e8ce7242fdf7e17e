"""Delivery: what is owed arrives in order, a bounded number of chats at a time."""

import asyncio
from itertools import pairwise

from bot.domain.talk.errors import FloodWait
from bot.domain.talk.message import Address
from bot.ports.outbox import DeliveryState
from tests.flow.delivery.delivering import BOB, World, answer


async def test_rows_of_a_chat_arrive_in_order_with_one_record_each() -> None:
    world = await World().open()
    for n in range(3):
        await world.show(f"k{n}", answer(f"text {n}"))
    async with world.delivering():
        assert world.texts == ["text 0", "text 1", "text 2"]
    assert world.outbox.calls == ["owed", "record", "record", "record"]
    assert await world.store.outbox.key_of(world.ann, "1") == "k0"


async def test_a_wake_up_at_any_moment_is_not_lost() -> None:
    for moment in range(20):
        world = await World().open()
        await world.show("first", answer("first"))
        async with world.delivering() as delivery:
            await world.show("second", answer("second"))
            delivery.wake(world.ann)
            for _ in range(moment):
                await asyncio.sleep(0)
            await world.show("third", answer("third"))
            delivery.wake(world.ann)
            await delivery.flushed()
            assert world.texts == ["first", "second", "third"]


async def test_a_chat_that_waits_does_not_hold_up_another() -> None:
    world = await World().open()
    world.channel.fates.append(FloodWait(30.0))
    await world.show("ann", answer("for Ann"))
    async with world.delivering() as delivery:
        await world.show("bob", answer("for Bob"), world.bob)
        delivery.wake(world.bob)
        await delivery.flushed()
        assert (world.texts, world.channel.texts(BOB)) == ([], ["for Bob"])
        await world.clock.advance(30)
        assert world.texts == ["for Ann"]


async def test_of_many_chats_a_few_are_begun_at_a_time() -> None:
    world = await World().open()
    await world.show_in_many(200)
    async with world.delivery() as delivery:
        resuming = asyncio.create_task(delivery.resume())
        begun = [0]
        while begun[-1] < 200:
            # Others get the loop here.
            await asyncio.sleep(0)
            begun.append(world.outbox.calls.count("owed"))
        await resuming
        assert max(after - before for before, after in pairwise(begun)) < 100


async def test_rows_for_a_channel_that_is_not_open_stay_owed() -> None:
    world = await World().open()
    elsewhere = await world.store.chats.at(Address("other", "1"), private=True)
    await world.show("k", answer("text"), elsewhere.id)
    async with world.delivering():
        await world.clock.advance(500)
    assert world.row("k").state is DeliveryState.OWED
    assert world.clock.slept == []


def _delivers(task: asyncio.Task[object]) -> bool:
    return task.get_name().startswith("delivery ")


async def test_those_in_line_are_owed_still_when_the_program_ends() -> None:
    world = await World().open()
    reached, held = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        reached.set()
        await held.wait()

    world.channel.before_each = hold
    await world.show_in_many(300)
    async with world.delivery() as delivery:
        await delivery.resume()
        await reached.wait()
    assert len(await world.store.outbox.chats_owed()) == 300
    world.channel.before_each = None
    async with world.delivering():
        assert len(world.channel.screen) == 300


async def test_who_failed_waits_for_a_seat_behind_those_in_line() -> None:
    world = await World().open()
    world.channel.fates.extend([FloodWait(1.0)] * 256)
    await world.show_in_many(300)
    async with world.delivering():
        assert len(world.channel.screen) == 300 - 256
        await world.clock.advance(1)
        assert len(world.channel.screen) == 300


async def test_many_owed_chats_are_worked_off_a_bounded_number_at_a_time() -> None:
    world = await World().open()
    at_work = most = 0

    async def count() -> None:
        nonlocal at_work, most
        at_work += 1
        most = max(most, at_work, sum(_delivers(task) for task in asyncio.all_tasks()))
        await asyncio.sleep(0)
        at_work -= 1

    world.channel.before_each = count
    await world.show_in_many(500)
    async with world.delivering():
        assert len(world.channel.screen) == 500
    assert 0 < most <= 256
