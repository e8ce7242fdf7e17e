"""Lanes of one process: one drain a chat at a time, and no wake-up lost."""

import asyncio
import logging
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.adapters.lanes.embedded_lanes import LONGEST_DELAY_SECONDS, EmbeddedLanes
from bot.domain.talk.errors import StoreBusy, StoreUnwritable
from tests.fakes.clock import FakeClock


async def settle() -> None:
    for _ in range(50):
        await asyncio.sleep(0)


class Work:
    """Drains a mailbox for each chat, in as many loop steps as told, and watches for overlap."""

    def __init__(self, steps: int = 3) -> None:
        self.steps = steps
        self.mail: dict[int, int] = {}
        self.done: Counter[int] = Counter()
        self.drains: Counter[int] = Counter()
        self.at_work: Counter[int] = Counter()
        self.most_at_work = 0
        self.overlapped = False

    async def drain(self, chat: int) -> None:
        self.drains[chat] += 1
        self.at_work[chat] += 1
        self.overlapped |= self.at_work[chat] > 1
        self.most_at_work = max(self.most_at_work, self.at_work.total())
        try:
            taken = self.mail.get(chat, 0)
            for _ in range(self.steps):
                await asyncio.sleep(0)
            self.done[chat] += taken
            self.mail[chat] = self.mail.get(chat, 0) - taken
        finally:
            self.at_work[chat] -= 1


@given(
    steps=st.integers(0, 4),
    at_work=st.integers(1, 4),
    events=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5), st.booleans()), max_size=40),
)
def test_never_two_at_once_and_nothing_left_behind(
    steps: int, at_work: int, events: list[tuple[int, int, bool]]
) -> None:
    async def play() -> Work:
        work = Work(steps)
        async with EmbeddedLanes(work.drain, FakeClock(), at_work) as lanes:
            for chat, pause, interrupting in events:
                work.mail[chat] = work.mail.get(chat, 0) + 1
                (lanes.interrupt if interrupting else lanes.wake)(chat)
                for _ in range(pause):
                    await asyncio.sleep(0)
            for _ in range(len(events) * (steps + 5) + 10):
                await asyncio.sleep(0)
        return work

    work = asyncio.run(play())
    assert not work.overlapped
    assert work.most_at_work <= at_work
    assert sum(work.mail.values()) == 0
    assert work.done == Counter(chat for chat, _, _ in events)


async def test_a_wake_up_in_the_last_step_of_a_drain_is_not_lost() -> None:
    work = Work(steps=0)
    again = [True]

    async def drain(chat: int) -> None:
        await work.drain(chat)
        if again.pop() if again else False:
            lanes.wake(chat)

    async with EmbeddedLanes(drain, FakeClock()) as lanes:
        lanes.wake(1)
        await settle()
    assert work.drains[1] == 2


async def test_many_wake_ups_during_one_drain_mean_one_more() -> None:
    work = Work(steps=5)
    async with EmbeddedLanes(work.drain, FakeClock()) as lanes:
        for _ in range(100):
            lanes.wake(1)
        await settle()
    assert work.drains[1] == 2


async def test_a_chat_at_rest_has_no_task() -> None:
    before = len(asyncio.all_tasks())
    async with EmbeddedLanes(Work().drain, FakeClock()) as lanes:
        for chat in range(50):
            lanes.wake(chat)
        assert len(asyncio.all_tasks()) == before + 50
        await settle()
        assert len(asyncio.all_tasks()) == before


async def test_who_stands_in_line_has_no_task_and_is_drained_in_the_order_of_coming() -> None:
    before = len(asyncio.all_tasks())
    work, order = Work(), list[int]()

    async def drain(chat: int) -> None:
        order.append(chat)
        await work.drain(chat)

    async with EmbeddedLanes(drain, FakeClock(), at_work=2) as lanes:
        for chat in range(1000):
            lanes.wake(chat)
        assert len(asyncio.all_tasks()) == before + 2
        while len(order) < 1000:
            await settle()
    assert order == [*range(1000)]
    assert work.most_at_work == 2


async def test_interrupt_cancels_the_drain_and_drains_anew() -> None:
    ends: list[str] = []
    stuck = asyncio.Event()

    async def drain(chat: int) -> None:
        try:
            await stuck.wait()
            ends.append("drained")
        except asyncio.CancelledError:
            ends.append("cancelled")
            stuck.set()
            raise

    async with EmbeddedLanes(drain, FakeClock()) as lanes:
        lanes.wake(1)
        lanes.wake(2)
        await settle()
        lanes.interrupt(1)
        await settle()
    assert ends == ["cancelled", "drained", "drained"]


async def test_interrupt_of_a_chat_at_rest_wakes_it() -> None:
    work = Work()
    async with EmbeddedLanes(work.drain, FakeClock()) as lanes:
        lanes.interrupt(1)
        await settle()
    assert work.drains[1] == 1


async def test_a_failed_drain_is_logged_and_tried_again_later_and_later(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    failures = [RuntimeError(f"fault {n}") for n in range(8)]
    others: list[int] = []

    async def drain(chat: int) -> None:
        if chat == 7 and failures:
            raise failures.pop(0)
        others.append(chat)

    with caplog.at_level(logging.ERROR):
        async with EmbeddedLanes(drain, clock) as lanes:
            lanes.wake(7)
            lanes.wake(8)
            await settle()
            assert others == [8]
            await clock.advance(600)
            await settle()
    assert others == [8, 7]
    assert clock.slept == [1, 2, 4, 8, 16, 32, LONGEST_DELAY_SECONDS, LONGEST_DELAY_SECONDS]
    assert [vars(record)["chat"] for record in caplog.records] == [7] * 8
    assert "fault 0" in caplog.text


async def test_a_store_that_is_away_costs_one_line_a_try_and_no_trace(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock, failures = FakeClock(), [StoreBusy("locked"), StoreUnwritable("disk full")]

    async def drain(chat: int) -> None:
        if failures:
            raise failures.pop(0)

    async with EmbeddedLanes(drain, clock) as lanes:
        lanes.wake(7)
        await clock.advance(10)
    told = [(record.getMessage(), record.exc_info) for record in caplog.records]
    assert told == [
        ("the lane of a chat has to wait: locked", None),
        ("the lane of a chat has to wait: disk full", None),
    ]
    assert [vars(record)["chat"] for record in caplog.records] == [7, 7]


async def test_a_failing_chat_leaves_its_room_to_others_while_it_waits() -> None:
    done: list[int] = []

    async def drain(chat: int) -> None:
        if chat == 1:
            raise RuntimeError("not now")
        done.append(chat)

    async with EmbeddedLanes(drain, FakeClock(), at_work=1) as lanes:
        lanes.wake(1)
        await settle()
        lanes.wake(2)
        await settle()
        assert done == [2]


@pytest.mark.parametrize("interrupted", [False, True])
async def test_a_chat_that_failed_stands_in_line_for_its_next_try(interrupted: bool) -> None:
    clock, done = FakeClock(), list[int]()
    failures, busy = [RuntimeError("once")], asyncio.Event()

    async def drain(chat: int) -> None:
        if chat == 1 and failures:
            raise failures.pop()
        if chat == 2:
            await busy.wait()
        done.append(chat)

    async with EmbeddedLanes(drain, clock, at_work=1) as lanes:
        lanes.wake(1)
        await settle()
        lanes.wake(2)
        await clock.advance(2)
        await settle()
        if interrupted:
            lanes.interrupt(1)
            await settle()
        assert done == []
        busy.set()
        await settle()
        assert done == [2, 1]
        lanes.wake(3)
        await settle()
        assert done == [2, 1, 3]


async def test_interrupt_cuts_the_wait_after_a_failure_short() -> None:
    tries: list[int] = []

    async def drain(chat: int) -> None:
        tries.append(chat)
        if len(tries) == 1:
            raise RuntimeError("once")

    async with EmbeddedLanes(drain, FakeClock()) as lanes:
        lanes.wake(1)
        await settle()
        lanes.interrupt(1)
        await settle()
        assert tries == [1, 1]


async def test_leaving_cancels_every_drain_and_waits_for_its_end() -> None:
    ended: list[int] = []

    async def drain(chat: int) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            lanes.wake(chat)
            ended.append(chat)

    async with EmbeddedLanes(drain, FakeClock(), at_work=2) as lanes:
        for chat in (1, 2, 3):
            lanes.wake(chat)
        await settle()
    assert sorted(ended) == [1, 2]
    lanes.wake(4)
    await settle()
    assert sorted(ended) == [1, 2]
