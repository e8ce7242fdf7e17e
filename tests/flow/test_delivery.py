"""Delivery: everything owed reaches the screen, in order, through faults, floods and crashes."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.budget import Limits
from bot.domain.change import Change, Retract, Show
from bot.domain.errors import (
    ChannelError,
    ChannelUnreachable,
    ContentRefused,
    FloodWait,
    RecipientGone,
    StoreBusy,
)
from bot.domain.message import Address, Button, Outbound, OutboundKind, Piece, Plain, RawUpdate
from bot.flow.delivery import MOST_TRIES, Delivery
from bot.ports.outbox import DeliveryState, OutboxRow, Progress
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

    async def owed(self, chat: int) -> Sequence[OutboxRow]:
        self.calls.append("owed")
        await asyncio.sleep(0)
        rows = await MemoryOutbox.owed(self, chat)
        await asyncio.sleep(0)
        return rows

    async def record(self, progress: Progress) -> None:
        self.calls.append("record")
        await asyncio.sleep(0)
        if self.faults and (fault := self.faults.popleft()) is not None:
            raise fault
        await MemoryOutbox.record(self, progress)
        await asyncio.sleep(0)


Fate = Exception | tuple[ChannelError, bool] | None
"""What happens to a send or edit: a fault before the work, one with `done` set, or nothing."""


class RoughChannel(FakeChannel):
    """A channel with an await before and after the work, and a fate for each send and edit."""

    def __init__(self, limit: int = 4096) -> None:
        super().__init__(limit=limit)
        self.fates = deque[Fate]()
        self.sent = list[str]()
        self.before_each: Callable[[], Awaitable[None]] | None = None

    async def send(self, to: Address, piece: Piece) -> str:
        await self._meet_fate()
        try:
            return await FakeChannel.send(self, to, piece)
        finally:
            await asyncio.sleep(0)

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

    async def open(self) -> "World":
        self.ann = (await self.store.chats.at(ANN, private=True)).id
        self.bob = (await self.store.chats.at(BOB, private=True)).id
        return self

    async def show(self, key: str, content: Outbound, chat: int = 0) -> None:
        write = Show(key, chat or self.ann, content)
        await self.store.journal.commit(Change((write,)))

    async def moved(self, channel: str, update: RawUpdate) -> None:
        self.moves.append((channel, update))

    def delivery(self) -> Delivery:
        async def told(row: OutboxRow, why: str) -> None:
            self.given_up.append((row.key, why))

        channels = {"fake": self.channel}
        return Delivery(
            self.outbox, channels, self.clock, told, self.moved, Limits(), jitter=lambda: 0.0
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


async def test_a_long_message_is_recorded_piece_by_piece() -> None:
    world = await World(limit=2).open()
    await world.show("long", answer("aabbcc"))
    async with world.delivering():
        assert world.texts == ["aa", "bb", "cc"]
    assert world.outbox.calls.count("record") == 3
    assert world.row("long").message_ids == ("1", "2", "3")


async def test_an_interrupted_message_goes_on_with_the_pieces_it_began_with() -> None:
    world = await World(limit=2).open()
    await world.show("long", answer("aabbcc"))
    world.channel.fates.extend([None, UNREACHABLE])
    async with world.delivering():
        assert world.texts == ["aa"]
    world.channel.limit = 3
    async with world.delivering():
        assert world.texts == ["aa", "bb", "cc"]


async def test_a_new_content_becomes_an_edit_of_what_changed() -> None:
    world = await World(limit=2).open()
    await world.show("k", answer("aabb"))
    async with world.delivering() as delivery:
        await world.show("k", answer("aaBBcc"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["aa", "BB", "cc"]
    assert [shown.edits for shown in world.channel.screen.values()] == [0, 1, 0]
    assert world.row("k").state is DeliveryState.SHOWN


async def test_messages_a_shorter_content_does_not_need_no_longer_show_the_old_one() -> None:
    world = await World(limit=2).open()
    await world.show("k", answer("aabbcc"))
    async with world.delivering() as delivery:
        await world.show("k", answer("aa"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["aa", "⋯", "⋯"]


async def test_the_latest_content_wins_over_a_send_under_way() -> None:
    world = await World(limit=2).open()
    seen: list[list[str]] = []
    versions = iter(["bbbb", "cc", "dddd"])

    async def race() -> None:
        seen.append(world.texts)
        if (text := next(versions, None)) is not None:
            await world.show("k", answer(text))
            delivery.wake(world.ann)

    world.channel.before_each = race
    await world.show("k", answer("aa"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await delivery.flushed()
    assert world.texts == ["dd", "dd"]
    firsts = [texts[0] for texts in seen if texts]
    assert firsts == sorted(firsts)


async def test_a_row_behind_the_one_being_sent_is_shown_as_it_is_by_then() -> None:
    world = await World().open()

    async def move_on() -> None:
        world.channel.before_each = None
        await world.show("k1", answer("new"))
        delivery.wake(world.ann)

    world.channel.before_each = move_on
    for n in range(3):
        await world.show(f"k{n}", answer("old"))
    async with world.delivery() as delivery:
        await delivery.resume()
        await delivery.flushed()
    assert world.texts == ["old", "new", "old"]
    assert {shown.edits for shown in world.channel.screen.values()} == {0}
    assert world.outbox.calls == ["owed", "record", "owed", "record", "record"]


async def test_an_edit_does_not_trust_what_an_unrecorded_one_may_have_shown() -> None:
    world = await World().open()
    await world.show("k", answer("old"))
    async with world.delivering() as delivery:
        world.channel.fates.append((LOST, True))
        await world.show("k", answer("new"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["new"]
    await world.show("k", answer("old"))
    async with world.delivering():
        assert world.texts == ["old"]


async def test_an_edit_of_an_earlier_row_does_not_overtake_its_first_send() -> None:
    world = await World().open()
    world.channel.fates.append(UNREACHABLE)
    await world.show("k", answer("first"))
    async with world.delivering() as delivery:
        await world.show("k", answer("second"))
        delivery.wake(world.ann)
        await world.clock.advance(1)
        assert world.texts == ["second"]
    assert len(world.channel.screen) == 1


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


async def test_a_send_whose_answer_was_lost_is_shown_once_more_at_most() -> None:
    world = await World().open()
    world.channel.fates.append((LOST, True))
    await world.show("k", answer("text"))
    async with world.delivering():
        await world.clock.advance(1)
    assert world.texts == ["text", "text"]
    assert world.row("k").state is DeliveryState.SHOWN


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


async def test_an_edit_of_a_deleted_message_counts_as_shown() -> None:
    world = await World().open()
    await world.show("k", answer("old"))
    async with world.delivering() as delivery:
        world.channel.screen.clear()
        await world.show("k", answer("new"))
        await world.show("next", answer("next"))
        delivery.wake(world.ann)
        await delivery.flushed()
        assert world.texts == ["next"]
    assert world.row("k").state is DeliveryState.SHOWN
    assert world.row("k").shown_version == 2


async def test_a_card_that_is_not_accepted_in_time_is_given_up_at_that_moment() -> None:
    world = await World().open()
    world.channel.fates.append(FloodWait(3600.0))
    await world.show("k", answer("text"))
    async with world.delivering() as delivery:
        await world.clock.advance(100)
        await world.show("card", card("may I?"))
        delivery.wake(world.ann)
        await world.clock.advance(599)
        assert world.given_up == []
        await world.clock.advance(1)
        assert world.given_up == [("card", "not accepted in time")]
        assert world.row("card").state is DeliveryState.DEAD
        await world.clock.advance(3000)
        assert world.texts == ["text"]


async def test_setting_the_clock_neither_ends_a_cards_time_nor_prolongs_it() -> None:
    world = await World().open()
    world.channel.fates.append(FloodWait(3600.0))
    await world.show("card", card("may I?"))
    async with world.delivering():
        world.clock.set_wall(3600)
        await world.clock.advance(300)
        assert world.given_up == []
        world.clock.set_wall(-7200)
        await world.clock.advance(300)
        assert world.given_up == [("card", "not accepted in time")]


async def test_a_trouble_that_lasts_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    world = await World().open()
    fault = ChannelUnreachable("no route", maybe_done=False)
    world.channel.fates.extend(fault for _ in range(100))
    await world.show("k", answer("text"))
    async with world.delivering():
        await world.until_nothing_is_owed(60.0)
    told = [record for record in caplog.records if "no route" in record.getMessage()]
    assert len(told) == 1


async def test_a_card_older_than_its_time_is_tried_after_a_restart() -> None:
    world = await World().open()
    await world.show("card", card("may I?"))
    await world.clock.advance(5000)
    async with world.delivering():
        assert world.texts == ["may I?"]


async def test_the_last_word_of_a_card_that_was_given_up_is_still_shown() -> None:
    world = await World().open()
    world.channel.fates.append(ContentRefused("too long"))
    await world.show("card", card("may I?"))

    async def unaskable(row: OutboxRow, why: str) -> None:
        await world.show(row.key, Outbound(OutboundKind.CARD, (Plain(f"could not ask: {why}"),)))
        delivery.wake(row.chat)

    channels = {"fake": world.channel}
    means = (world.outbox, channels, world.clock, unaskable, world.moved)
    async with Delivery(*means, Limits()) as delivery:
        await delivery.resume()
        await delivery.flushed()
    assert world.texts == ["could not ask: too long"]


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
    for n in range(300):
        chat = await world.store.chats.at(Address("fake", f"many{n}"), private=True)
        await world.show(f"k{n}", answer("text"), chat.id)
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
    for n in range(300):
        chat = await world.store.chats.at(Address("fake", f"many{n}"), private=True)
        await world.show(f"k{n}", answer("text"), chat.id)
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
    for n in range(500):
        chat = await world.store.chats.at(Address("fake", f"many{n}"), private=True)
        await world.show(f"k{n}", answer("text"), chat.id)
    async with world.delivering():
        assert len(world.channel.screen) == 500
    assert 0 < most <= 256


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


async def passing(world: World) -> str:
    """A message shown in passing, whose end is owed."""
    shown = await world.channel.send(ANN, Piece({"text": "so far"}))
    await world.store.journal.commit(Change((Retract(world.ann, "turn", shown),)))
    return shown


async def test_a_passing_message_stays_until_what_comes_is_there() -> None:
    world = await World().open()
    await passing(world)
    await world.show("answer", answer("whole"))
    seen = list[list[str]]()

    async def look() -> None:
        seen.append(world.texts)

    world.channel.before_each = look
    async with world.delivering():
        assert seen == [["so far"], ["so far", "whole"]]
        assert world.texts == ["whole"]


async def test_a_passing_message_is_taken_away_by_the_next_life() -> None:
    world = await World().open()
    await passing(world)
    async with world.delivering():
        assert world.texts == []
        assert not await world.store.outbox.chats_owed()


async def test_a_passing_message_that_someone_deleted_is_no_fault() -> None:
    world = await World().open()
    world.channel.screen.pop(await passing(world))
    async with world.delivering():
        assert not await world.store.outbox.chats_owed()


async def test_a_passing_message_the_platform_keeps_says_nothing_any_more() -> None:
    world = await World().open()
    await passing(world)
    world.channel.fates.append(ContentRefused("message can't be deleted"))
    async with world.delivering():
        assert world.texts == ["⋯"]
        assert not await world.store.outbox.chats_owed()
