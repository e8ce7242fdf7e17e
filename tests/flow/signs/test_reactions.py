"""Reactions: the newest state of a message, when there is room, where they are wanted."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, FloodWait
from bot.domain.talk.message import Address
from bot.flow.signs.reactions import Reactions
from tests.fakes.channel import FakeChannel
from tests.fakes.clock import FakeClock

HOME = Address("fake", "1")
TOPIC = Address("fake", "1", "5")
OTHER = Address("fake", "2")


class Desk:
    """Reactions on a channel that remembers them."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.channel = FakeChannel()
        self.reactions = Reactions({"fake": self.channel}, self.clock)

    @property
    def shown(self) -> list[tuple[str, str | None]]:
        return [(sign.value, message) for _, sign, message in self.channel.signs]

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.reactions:
        yield desk


async def test_a_message_that_waited_shows_each_of_its_states(desk: Desk) -> None:
    now = desk.clock.now()
    desk.reactions.queued(HOME, "m")
    await desk.settle()
    desk.reactions.taken(HOME, ["m"], now)
    await desk.settle()
    desk.reactions.ended(HOME, ["m"], well=True)
    await desk.settle()
    assert desk.shown == [("queued", "m"), ("working", "m"), ("done", "m")]


async def test_a_channel_that_is_not_served_gets_none(desk: Desk) -> None:
    desk.reactions.queued(Address("terminal", "here"), "7")
    desk.reactions.queued(HOME, "m")
    await desk.settle()
    assert desk.shown == [("queued", "m")]


async def test_in_a_flood_most_messages_stay_without_a_reaction(desk: Desk) -> None:
    flood = [str(number) for number in range(1000)]
    for message in flood:
        desk.reactions.queued(HOME, message)
    await desk.settle()
    marked = [message for _, message in desk.shown]
    assert 0 < len(marked) < 100
    desk.reactions.ended(HOME, flood, well=True)
    await desk.settle()
    assert [message for sign, message in desk.shown if sign == "done"] == marked
    desk.reactions.queued(HOME, "later")
    await desk.settle()
    assert desk.shown[-1] == ("queued", "later")


async def test_a_quick_message_gets_no_reaction_at_all(desk: Desk) -> None:
    desk.reactions.taken(HOME, ["m"], desk.clock.now())
    desk.reactions.ended(HOME, ["m"], well=True)
    await desk.settle()
    assert desk.shown == []


async def test_a_turn_that_ended_badly_takes_its_reaction_back(desk: Desk) -> None:
    desk.reactions.working(HOME, ["m"])
    await desk.settle()
    desk.reactions.ended(HOME, ["m"], well=False)
    await desk.settle()
    assert desk.shown == [("working", "m"), ("none", "m")]
    desk.reactions.ended(HOME, ["m"], well=False)
    await desk.settle()
    assert len(desk.shown) == 2


async def test_only_the_newest_state_is_shown_when_there_is_room_again(desk: Desk) -> None:
    desk.channel.sign_faults.append(FloodWait(5.0))
    desk.reactions.queued(HOME, "m")
    await desk.settle()
    desk.reactions.working(HOME, ["m"])
    desk.reactions.ended(HOME, ["m"], well=True)
    await desk.settle()
    assert desk.shown == []
    await desk.clock.advance(5.0)
    assert desk.shown == [("done", "m")]


async def test_a_chat_that_takes_no_reactions_is_not_asked_again(desk: Desk) -> None:
    desk.channel.sign_faults.append(ContentRefused("REACTION_INVALID"))
    desk.reactions.queued(HOME, "one")
    await desk.settle()
    for address, message in ((HOME, "two"), (TOPIC, "three"), (OTHER, "four")):
        desk.reactions.queued(address, message)
    await desk.settle()
    assert desk.shown == [("queued", "four")]


async def test_a_state_the_chat_does_not_take_leaves_no_older_one_behind(desk: Desk) -> None:
    desk.reactions.queued(HOME, "m")
    await desk.settle()
    desk.channel.sign_faults.append(ContentRefused("REACTION_INVALID"))
    desk.reactions.working(HOME, ["m"])
    await desk.settle()
    assert desk.shown == [("queued", "m"), ("none", "m")]


async def test_a_bad_way_loses_one_state_and_not_the_next(desk: Desk) -> None:
    desk.channel.sign_faults.append(ChannelUnreachable("down", maybe_done=True))
    desk.reactions.queued(HOME, "m")
    await desk.settle()
    desk.reactions.working(HOME, ["m"])
    await desk.settle()
    assert desk.shown == [("working", "m")]


async def test_what_an_earlier_life_may_have_marked_is_brought_to_its_end(desk: Desk) -> None:
    before = desk.clock.now() - timedelta(seconds=1)
    desk.reactions.taken(HOME, ["m"], before)
    await desk.settle()
    desk.reactions.ended(HOME, ["m"], well=True)
    await desk.settle()
    assert desk.shown == [("working", "m"), ("done", "m")]


async def test_leaving_waits_for_nobody() -> None:
    desk = Desk()
    async with desk.reactions:
        desk.channel.sign_faults.append(FloodWait(30.0))
        desk.reactions.queued(HOME, "m")
        await desk.settle()
    desk.reactions.queued(HOME, "n")
    assert desk.shown == []
