"""Delivery: through faults, floods and crashes nothing owed is lost."""

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.talk.errors import (
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    RecipientGone,
    StoreBusy,
)
from bot.flow.delivery.courier import MOST_TRIES
from bot.ports.outbox import MOST_OWED, DeliveryState
from tests.flow.delivery.delivering import BOB, LOST, UNREACHABLE, Fate, World, answer, card


async def test_an_unreachable_channel_is_tried_for_ever_with_growing_pauses() -> None:
    world = await World().open()
    world.channel.fates.extend([UNREACHABLE] * 9)
    await world.show("k0", answer("zero"))
    await world.show("k1", answer("one"))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == ["zero", "one"]
    assert world.clock.slept == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]


async def test_pauses_begin_short_again_once_a_message_went_through() -> None:
    world = await World().open()
    world.channel.fates.extend([UNREACHABLE, UNREACHABLE, None, UNREACHABLE])
    await world.show("k0", answer("zero"))
    await world.show("k1", answer("one"))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.clock.slept == [1.0, 2.0, 1.0]


async def test_what_only_waits_for_a_better_time_does_not_hold_up_flushing() -> None:
    world = await World().open()
    world.channel.fates.extend([UNREACHABLE] * 3)
    await world.show("k", answer("text"))
    async with world.delivering() as delivery:
        await delivery.flushed()
        assert world.texts == []


async def test_a_send_whose_answer_was_lost_is_not_shown_again() -> None:
    world = await World().open()
    world.channel.fates.append((LOST, True))
    await world.show("k", answer("text"))
    async with world.delivering():
        await world.clock.advance(1)
    assert world.texts == ["text"]
    assert world.row("k").state is DeliveryState.SHOWN
    assert world.row("k").message_ids == ("1",)


async def test_a_flood_wait_is_obeyed_to_the_second() -> None:
    world = await World().open()
    world.channel.fates.append(FloodWait(17.0))
    await world.show("k", answer("text"))
    async with world.delivering():
        await world.clock.advance(16.9)
        assert world.texts == []
        await world.clock.advance(0.1)
        assert world.texts == ["text"]


async def test_a_person_who_is_gone_gets_nothing_more_and_cards_are_told_of() -> None:
    world = await World().open()
    world.channel.fates.append(RecipientGone("blocked by the user"))
    await world.show("k", answer("text"))
    await world.show("card", card("may I?"))
    await world.show("bob", answer("for Bob"), world.bob)
    async with world.delivering():
        assert not await world.store.outbox.chats_owed()
    assert world.row("k").state is world.row("card").state is DeliveryState.DEAD
    assert world.row("card").error == "blocked by the user"
    assert world.given_up == [("card", "blocked by the user")]
    assert world.channel.texts(BOB) == ["for Bob"]


async def test_whatever_is_owed_to_a_person_who_is_gone_is_given_up_at_once() -> None:
    world = await World().open()
    world.channel.fates.append(RecipientGone("blocked by the user"))
    for number in range(2 * MOST_OWED + 1):
        await world.show(f"k{number}", answer(str(number)))
    async with world.delivering():
        assert not await world.store.outbox.chats_owed()
    assert world.texts == []
    assert {row.error for row in world.store.rows.outbox.values()} == {"blocked by the user"}


async def test_more_than_is_read_at_once_comes_in_order() -> None:
    world = await World().open()
    texts = [str(number) for number in range(2 * MOST_OWED + 1)]
    for text in texts:
        await world.show(f"k{text}", answer(text))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == texts


async def test_a_refused_content_dies_alone(caplog: pytest.LogCaptureFixture) -> None:
    world = await World().open()
    world.channel.fates.extend([ContentRefused("too odd"), ContentRefused("too odd")])
    await world.show("k", answer("odd"))
    await world.show("card", card("odd"))
    await world.show("next", answer("next"))
    async with world.delivering():
        assert world.texts == ["next"]
    assert world.row("k").error == world.row("card").error == "too odd"
    assert world.given_up == [("card", "too odd")]
    assert [r.levelname for r in caplog.records] == ["ERROR", "ERROR"]


async def test_a_trouble_that_lasts_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    world = await World().open()
    fault = ChannelUnreachable("no route", maybe_done=False)
    world.channel.fates.extend(fault for _ in range(100))
    await world.show("k", answer("text"))
    async with world.delivering():
        await world.until_nothing_is_owed(60.0)
    told = [record for record in caplog.records if "no route" in record.getMessage()]
    assert len(told) == 1


async def test_an_unforeseen_fault_is_tried_five_times_and_then_stands_in_nobodys_way(
    caplog: pytest.LogCaptureFixture,
) -> None:
    world = await World().open()
    world.channel.fates.extend(ValueError("odd") for _ in range(MOST_TRIES))
    await world.show("k", answer("text"))
    await world.show("next", answer("next"))
    async with world.delivering():
        assert world.row("k").state is DeliveryState.OWED
        await world.until_nothing_is_owed(1.0)
    assert world.texts == ["next"]
    assert world.row("k").state is DeliveryState.DEAD
    assert world.row("k").attempts == MOST_TRIES
    traced = [r for r in caplog.records if r.exc_info]
    assert [(r.__dict__["chat"], r.__dict__["row"]) for r in traced] == [(world.ann, "k")] * 5


async def test_a_busy_store_after_a_send_does_not_make_a_second_copy() -> None:
    world = await World(limit=2).open()
    world.outbox.faults.extend([StoreBusy("locked")] * 7)
    await world.show("k", answer("aabb"))
    async with world.delivering():
        await world.until_nothing_is_owed()
    assert world.texts == ["aa", "bb"]


CONTENTS = ("aa", "bbcc", "dd")
PIECES = ["aa", "bb", "cc", "dd"]


async def test_a_crash_at_any_await_loses_nothing_and_shows_one_copy_more_at_most() -> None:
    crashes = 0
    for moment in range(60):
        world = await World(limit=2).open()
        for n, text in enumerate(CONTENTS):
            await world.show(f"k{n}", answer(text))
        async with world.delivery() as delivery:
            await delivery.resume()
            for _ in range(moment):
                await asyncio.sleep(0)
        crashes += bool(await world.store.outbox.chats_owed())
        async with world.delivering():
            pass
        assert _without_repeats(world.texts) == PIECES
        assert len(world.texts) <= len(PIECES) + 1
    assert crashes > 15


FATES: st.SearchStrategy[Fate] = st.sampled_from(
    [None, None, FloodWait(3.0), UNREACHABLE, (UNREACHABLE, False), (LOST, True), ValueError("x")]
)


@given(
    st.lists(FATES, max_size=12),
    st.lists(st.sampled_from([None, StoreBusy("locked")]), max_size=6),
    st.lists(st.integers(1, 30), max_size=3),
)
def test_whatever_goes_wrong_every_final_arrives_whole_and_in_order(
    fates: list[Fate], store_faults: list[Exception | None], crashes: list[int]
) -> None:
    # A fifth unforeseen fault kills a row on purpose.
    odd = [n for n, fate in enumerate(fates) if isinstance(fate, ValueError)][MOST_TRIES - 1 :]
    kept = [fate for n, fate in enumerate(fates) if n not in odd]

    async def run() -> None:
        world = await World(limit=2).open()
        world.channel.fates.extend(kept)
        world.outbox.faults.extend(store_faults)
        for n, text in enumerate(CONTENTS):
            await world.show(f"k{n}", answer(text))
        for moment in crashes:
            async with world.delivery() as delivery:
                await delivery.resume()
                for _ in range(moment):
                    await asyncio.sleep(0)
                await world.clock.advance(moment)
        async with world.delivering():
            await world.until_nothing_is_owed()
        assert _without_repeats(world.texts) == PIECES
        lost = sum(isinstance(fate, tuple) and fate[1] for fate in kept)
        assert len(world.texts) <= len(PIECES) + lost + len(crashes)
        assert {row.state for row in world.store.rows.outbox.values()} == {DeliveryState.SHOWN}

    asyncio.run(run())


def _without_repeats(texts: list[str]) -> list[str]:
    return texts[:1] + [after for before, after in pairwise(texts) if before != after]
