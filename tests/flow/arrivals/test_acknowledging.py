"""Acknowledgements hold nobody up: bounded, in time, and dropped where there are too many."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from bot.domain.talk.errors import ChannelUnreachable
from bot.domain.talk.message import Address, Press, PressAnswer
from bot.domain.talk.person import Sender
from bot.flow.arrivals.acknowledging import (
    MOST,
    MOST_OF_ONE,
    MOST_OF_STRANGERS,
    Acknowledging,
)
from tests.fakes.channel import FakeChannel

HOME = Address("fake", "1")


@dataclass
class SlowChannel(FakeChannel):
    """A channel whose acknowledgements wait until the test lets them end."""

    begun: list[str] = field(default_factory=list[str])
    release: asyncio.Event = field(default_factory=asyncio.Event)
    fault: Exception | None = None

    async def acknowledge(
        self, press: Press, text: str, *, refused: bool = False, alone: bool = False
    ) -> None:
        self.begun.append(press.sender.key)
        if self.fault is not None:
            raise self.fault
        await self.release.wait()
        await super().acknowledge(press, text, refused=refused)


def press(person: int) -> Press:
    return Press(HOME, Sender("fake", str(person), "P"), "x", "h")


async def until(done: Callable[[], bool]) -> None:
    for _ in range(500_000):
        if done():
            return
        await asyncio.sleep(0)
    raise AssertionError("it never came")


async def test_presses_of_strangers_leave_room_for_people_who_are_known() -> None:
    channel = SlowChannel()
    async with Acknowledging() as acknowledging:
        for stranger in range(200):
            acknowledging.begin(channel, press(stranger), PressAnswer(), known=False)
        acknowledging.begin(channel, press(1000), PressAnswer("Approved."), known=True)
        await until(lambda: "fake:1000" in channel.begun)
        assert len(channel.begun) == MOST_OF_STRANGERS + 1
        channel.release.set()
        await until(lambda: len(channel.acknowledged) == MOST_OF_STRANGERS + 1)


async def test_one_person_and_all_together_have_a_bound() -> None:
    channel = SlowChannel()
    async with Acknowledging() as acknowledging:
        for _ in range(50):
            acknowledging.begin(channel, press(1), PressAnswer(), known=True)
        await until(lambda: len(channel.begun) == MOST_OF_ONE)
        for person in range(2, 200):
            acknowledging.begin(channel, press(person), PressAnswer(), known=True)
        await until(lambda: len(channel.begun) == MOST)


@pytest.mark.parametrize(
    "fault", [None, ChannelUnreachable("away", maybe_done=False), ValueError("a riddle")]
)
async def test_an_acknowledgement_that_hangs_or_fails_makes_room(fault: Exception | None) -> None:
    channel = SlowChannel(fault=fault)
    async with Acknowledging(seconds=0.01) as acknowledging:
        for _ in range(MOST_OF_ONE):
            acknowledging.begin(channel, press(1), PressAnswer(), known=True)
        await until(lambda: not acknowledging.under_way)
        channel.fault = None
        channel.release.set()
        acknowledging.begin(channel, press(1), PressAnswer("Denied."), known=True)
        await until(lambda: len(channel.acknowledged) == 1)
