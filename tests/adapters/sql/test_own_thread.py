"""A thread of its own does jobs of an event loop in order, and hands back what comes of them."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from bot.adapters.sql.own_thread import OwnThread


@pytest.fixture
def line() -> Iterator[OwnThread]:
    line = OwnThread("a-line")
    yield line
    line.end()


async def test_jobs_are_done_one_after_another_in_the_thread_of_that_name(line: OwnThread) -> None:
    done: list[tuple[int, str]] = []

    def job(number: int) -> int:
        done.append((number, threading.current_thread().name))
        return number * 2

    assert await asyncio.gather(*(line.run(job, number) for number in range(50))) == [
        number * 2 for number in range(50)
    ]
    assert done == [(number, "a-line") for number in range(50)]


@pytest.mark.parametrize("fault", [ValueError("no"), SystemExit(3)])
async def test_a_fault_is_raised_to_the_one_who_waits_and_ends_nothing(
    line: OwnThread, fault: BaseException
) -> None:
    def fails() -> None:
        raise fault

    with pytest.raises(type(fault)) as raised:
        await line.run(fails)
    assert raised.value is fault
    assert await line.run(lambda: "still there") == "still there"


async def test_a_job_that_is_cancelled_before_its_turn_is_left_out(line: OwnThread) -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def first() -> None:
        begun.set()
        go_on.wait()
        done.append("first")

    running, waiting = line.run(first), line.run(done.append, "second")
    await asyncio.to_thread(begun.wait)
    waiting.cancel()
    # It runs already, so it is done all the same, and tells nobody.
    running.cancel()
    go_on.set()
    await line.run(done.append, "third")
    assert done == ["first", "third"]
    assert running.cancelled()
    assert waiting.cancelled()


async def test_the_end_waits_for_every_job_and_takes_no_more() -> None:
    line, done = OwnThread("a-line"), list[int]()
    for number in range(100):
        line.run(done.append, number)
    line.end()
    assert done == list(range(100))
    with pytest.raises(RuntimeError, match="ended"):
        line.run(done.append, 100)


def test_a_loop_that_is_gone_stops_no_later_one(line: OwnThread) -> None:
    async def leaves(go_on: threading.Event) -> None:
        line.run(go_on.wait)

    async def stays() -> str:
        return await line.run(lambda: "done")

    go_on = threading.Event()
    asyncio.run(leaves(go_on))
    go_on.set()
    assert asyncio.run(stays()) == "done"
