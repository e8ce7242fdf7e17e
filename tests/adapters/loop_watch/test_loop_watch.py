"""The watch tells of code that holds the loop, and of nothing that a busy machine does."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from bot.adapters.loop_watch.lap import Glance, Lap
from bot.adapters.loop_watch.loop_watch import TICK_SECONDS, LoopWatch
from bot.domain.talk.hold import Holds
from tests.words import EVENT_LOOP

ROOT = Path(__file__).resolve().parents[3]


def compute(seconds: float) -> None:
    """Uses the processor for so long, however long that takes."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        sum(range(1000))


def compute_elsewhere(seconds: float) -> None:
    compute(seconds)


def block() -> None:
    time.sleep(1.0)


def search() -> None:
    """Lets nobody else have the interpreter while it searches, and then for a moment."""
    assert re.match(r"(a+)+$", "a" * 24 + "b") is None
    # On a busy machine the watch needs a while to notice that it may look.
    end = time.thread_time() + 0.1
    while time.thread_time() < end:
        sum(range(1000))


def held(*works: Callable[[], object], times: int | None = None) -> Holds:
    """Does these works on a watched loop, each in a lap of its own; returns what was noticed.

    It waits until each was noticed, or, when nothing may be, until the watch had time enough.
    """
    watch = LoopWatch()

    async def work() -> Holds:
        with watch.watching():
            for count, one in enumerate(works, 1):
                asyncio.get_running_loop().call_soon(one)
                await asyncio.sleep(0)
                await (rest() if times == 0 else noticed(watch, count))
            return watch.holds()

    with asyncio.Runner(loop_factory=watch.new_loop) as runner:
        return runner.run(work())


async def rest() -> None:
    await asyncio.sleep(5 * TICK_SECONDS)


async def noticed(watch: LoopWatch, times: int) -> None:
    while watch.holds().times < times:  # a thread notices, and tells nobody
        await asyncio.sleep(TICK_SECONDS)


def test_code_that_computes_is_told_with_its_place(caplog: pytest.LogCaptureFixture) -> None:
    holds = held(lambda: compute(0.3))
    assert holds.times == 1
    assert 0.2 < holds.longest < 0.35
    [line] = caplog.messages
    times = r"held for 0\.[23]\d s \(0\.[23]\d s of it computing\)"
    assert re.search(rf"{times} by .*test_loop_watch\.py:\d+ compute", line)


def test_a_call_that_blocks_is_told_though_it_uses_no_processor(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert held(block).times == 1
    assert "(0.0" in caplog.messages[0]
    assert "block" in caplog.messages[0]


def test_code_that_keeps_the_interpreter_is_told_when_it_gives_it_back(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert held(search).times == 1
    assert "search" in caplog.messages[0]


def test_many_short_works_in_one_lap_are_nobody_s_fault() -> None:
    def many() -> None:
        for _ in range(20):
            asyncio.get_running_loop().call_soon(lambda: compute(0.02))

    assert held(many, times=0) == Holds()


def test_a_process_that_was_stopped_many_times_in_one_lap_held_nobody_up() -> None:
    lap = Lap(1, since=0.0, ran=0.0, longest=2 * TICK_SECONDS)
    for stops in range(20):
        lap.look(Glance(at=stops * 0.5, ran=stops * 0.001, efforts=stops * 0.001, late=0.0))
    assert lap.worst.held == pytest.approx(0.019)


def test_short_works_are_nobody_s_fault() -> None:
    assert held(*[lambda: compute(0.05)] * 5, times=0) == Holds()


def test_one_place_is_told_of_once_a_minute_and_counted_each_time(
    caplog: pytest.LogCaptureFixture,
) -> None:
    again = partial(compute, 0.2)
    holds = held(again, again, lambda: compute_elsewhere(0.2))
    assert holds.times == 3
    told = [line for line in caplog.messages if EVENT_LOOP in line]
    assert len(told) == 1


@contextmanager
def crowded(processor: int, rivals: int) -> Iterator[None]:
    """Lets other processes want the same processor all the time."""
    code = f"import os\nos.sched_setaffinity(0, {{{processor}}})\nwhile True: pass"
    busy = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(rivals)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="a processor cannot be chosen")
@pytest.mark.alone
def test_a_machine_without_time_for_us_is_nobody_s_fault() -> None:
    processor = min(os.sched_getaffinity(0))
    with crowded(processor, 4):
        told = subprocess.run(
            [sys.executable, "-m", "tests.adapters.loop_watch.starved", str(processor)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            check=True,
        )
    seen = json.loads(told.stdout)
    assert seen["longest lap"] > 0.1, "the machine had time for us"
    assert seen["short works"] == 0
    assert seen["long work"] == 1
