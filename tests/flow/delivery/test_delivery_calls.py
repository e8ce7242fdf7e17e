"""Messages about tool calls: in their order where there is room, and never ahead of an answer."""

import asyncio

import pytest

from bot.domain.talk.limits import Rate, SendRates
from bot.domain.talk.message import CallBlock, Outbound, OutboundKind
from tests.flow.delivery.delivering import World, answer

_YIELDS = 200


def called(*titles: str) -> Outbound:
    return Outbound(OutboundKind.CALLS, tuple(CallBlock(title) for title in titles), silent=True)


async def gated(burst: int = 3) -> World:
    world = await World().open()
    world.rates = SendRates(Rate(1, 1.0), None, None, burst=burst)
    return world


async def still() -> None:
    for _ in range(_YIELDS):
        await asyncio.sleep(0)


async def test_calls_stand_above_the_answer_while_there_is_room_for_both() -> None:
    world = await gated()
    await world.show("calls:t:1", called("look"))
    await world.show("answer:t", answer("Done."))
    async with world.delivering():
        assert world.texts == ["look", "Done."]


@pytest.mark.parametrize("burst", [1, 2, 3])
async def test_an_answer_is_as_early_as_if_there_were_no_calls(burst: int) -> None:
    for others in range(burst):
        world = await gated(burst)
        for n in range(others):
            await world.show(f"note:{n}", answer(f"note {n}"))
        async with world.delivering() as delivery:
            for n in range(5):
                await world.show(f"calls:t:{n}", called(f"look {n}"))
                delivery.wake(world.ann)
                await still()
            await world.show("answer:t", answer("Done."))
            delivery.wake(world.ann)
            await still()
            # A bucket of one place has no place over: there a call may have taken it.
            if burst > 1:
                assert "Done." in world.texts
            await world.until_nothing_is_owed(1.0)
            assert len(world.texts) == 6 + others


async def test_what_comes_while_calls_wait_for_room_goes_at_once() -> None:
    world = await gated()
    for n in range(4):
        await world.show(f"calls:t:{n}", called(f"look {n}"))
    async with world.delivering() as delivery:
        assert world.texts == ["look 0", "look 1"], "one place is left for an answer"
        await world.show("answer:t", answer("Done."))
        delivery.wake(world.ann)
        await still()
        assert world.texts == ["look 0", "look 1", "Done."]
        await world.until_nothing_is_owed(1.0)
        assert world.texts == ["look 0", "look 1", "Done.", "look 2", "look 3"]


async def test_more_calls_in_a_message_that_is_shown_wait_behind_the_answer() -> None:
    world = await gated()
    await world.show("calls:t:1", called("look"))
    async with world.delivering() as delivery:
        order: list[str] = []

        async def note() -> None:
            order.extend(world.texts[-1:])

        world.channel.before_each = note
        await world.show("calls:t:1", called("look", "read"))
        await world.show("answer:t", answer("Done."))
        delivery.wake(world.ann)
        await still()
        await world.until_nothing_is_owed(1.0)
        assert world.texts == ["look\n\nread", "Done."], "it is shown in its place"
        assert order == ["look", "Done."], "the answer went first"


async def test_many_quick_rounds_are_one_message_and_few_edits() -> None:
    world = await gated()
    titles: list[str] = []
    async with world.delivering() as delivery:
        for n in range(40):
            titles.append(f"look {n}")
            await world.show("calls:t:1", called(*titles))
            delivery.wake(world.ann)
            await still()
        await world.until_nothing_is_owed(1.0)
        (shown,) = world.channel.screen.values()
        assert shown.text == "\n\n".join(titles)
        assert shown.edits <= 3


async def test_calls_that_wait_are_not_waited_for_at_the_end_of_the_program() -> None:
    world = await gated()
    for n in range(4):
        await world.show(f"calls:t:{n}", called(f"look {n}"))
    async with world.delivering():
        pass
    assert len(world.texts) == 2
    async with world.delivering():
        await world.until_nothing_is_owed(1.0)
    assert sorted(world.texts) == [f"look {n}" for n in range(4)]
