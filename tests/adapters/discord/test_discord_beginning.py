"""Sessions of a bot begin one after another, as far apart as Discord wants it."""

import asyncio

import pytest

from bot.adapters.discord.silence import Beginning
from tests.fakes.clock import FakeClock


async def test_sessions_begin_one_by_one_and_five_seconds_after_one_another() -> None:
    clock, begun = FakeClock(), list[float]()
    beginning = Beginning(clock)

    async def begins() -> None:
        async with beginning.turn():
            begun.append(clock.steady())
            # A connection takes its time, and the five seconds begin behind it.
            await clock.sleep(1.0)

    async with asyncio.TaskGroup() as group:
        for _ in range(3):
            group.create_task(begins())
        for _ in range(150):
            await clock.advance(0.1)
    assert [round(at, 1) for at in begun] == [0.0, 6.0, 12.0]


async def test_a_session_that_did_not_begin_counts_as_one() -> None:
    clock = FakeClock()
    beginning = Beginning(clock)
    with pytest.raises(OSError, match="no connection"):
        async with beginning.turn():
            raise OSError("no connection")

    async def begins() -> None:
        async with beginning.turn():
            pass

    waiting = asyncio.create_task(begins())
    await clock.advance(4.9)
    assert not waiting.done()
    await clock.advance(0.2)
    await waiting
