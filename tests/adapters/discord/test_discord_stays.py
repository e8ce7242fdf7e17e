"""Where the bot stands: events of any form are borne, and threads are believed gone with care."""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.stays import BACK, LEFT, OWN, Stays, places_in
from bot.adapters.discord.updates import parse_event
from bot.domain.talk.message import Address, Presence, RawUpdate
from tests.fakes.clock import FakeClock
from tests.standins.discord import TOKEN, Channel, Discord, Message

NAMES = (
    *("GUILD_CREATE", "GUILD_DELETE", "CHANNEL_UPDATE", "CHANNEL_DELETE", "THREAD_CREATE"),
    *("THREAD_UPDATE", "THREAD_DELETE", "THREAD_LIST_SYNC", "GUILD_MEMBER_UPDATE"),
)
FIELDS = ("id", "guild_id", "parent_id", "type", "threads", "channels", "joined_at", "user")
VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["1", "12", "x", "\ud800", "0"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*FIELDS, "locked", "thread_metadata"]), inner)
    ),
    max_leaves=8,
)
EVENT = st.dictionaries(st.sampled_from([*FIELDS, "thread_metadata", "unavailable"]), VALUE)


@dataclass
class Memory:
    """What the program knows of its chats."""

    chats: list[Address] = field(default_factory=list[Address])
    stands: dict[Address, Presence] = field(default_factory=dict[Address, Presence])

    async def chats_of(self, channel: str) -> Sequence[Address]:
        return self.chats

    async def lost(self, channel: str) -> Mapping[Address, Presence]:
        return self.stands

    async def heard_until(self, channel: str) -> datetime | None:
        return None

    async def reached(self, stream: str, since: datetime) -> str:
        return ""

    async def owners(self) -> Sequence[str]:
        return ()

    async def waiting_in(self, place: Address) -> Sequence[RawUpdate]:
        return ()


@dataclass
class Stage:
    discord: Discord
    stays: Stays
    memory: Memory
    place: Channel
    asked: Message

    def thread(self, number: int) -> Address:
        return Address("discord", f"-{self.place.id}", str(number))


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    discord = Discord()
    ann = discord.person(700_000_000_000_000_001, "Ann")
    place = discord.guild("Home", ann).channels[0]
    async with discord.serving() as url, DiscordApi(TOKEN, url) as api:
        places = KnownChannels(api)
        places.begin(0, Fields({}))
        stays, memory = Stays(api, places, FakeClock()), Memory()
        await stays.prepare(memory)
        asked = discord.say(ann, "A task of ours", at=place)
        yield Stage(discord, stays, memory, place, asked)


@example("CHANNEL_DELETE", {"guild_id": "1", "id": []})
@given(name=st.sampled_from(NAMES), data=EVENT)
def test_no_event_stops_the_noting_or_the_reading_behind_it(
    name: str, data: dict[str, Any]
) -> None:
    api = DiscordApi(TOKEN)
    places = KnownChannels(api)
    stays = Stays(api, places, FakeClock())
    places.learn(name, Fields(data))
    for event in stays.note(Event(name, 1, data)):
        assert event.name in OWN
        assert places_in(event.fields)


@given(name=st.sampled_from(OWN), data=EVENT)
def test_no_own_event_stops_the_reading(name: str, data: dict[str, Any]) -> None:
    parse_event(json.dumps({"t": name, "d": data, "place": data}), "1")


async def test_a_thread_that_its_message_can_open_again_is_not_left(stage: Stage) -> None:
    stage.memory.chats.append(stage.thread(stage.asked.id))
    stage.stays.doubt([str(stage.asked.id)])
    assert await stage.stays.look() == []
    stage.discord.delete(stage.asked)
    stage.stays.doubt([str(stage.asked.id)])
    [event] = await stage.stays.look()
    assert event.name == LEFT
    assert list(places_in(event.fields)) == [stage.thread(stage.asked.id)]
    assert stage.stays.has_left(stage.thread(stage.asked.id))


async def test_a_thread_goes_with_its_channel_and_is_told_with_it(stage: Stage) -> None:
    thread = stage.discord.thread(stage.place, "Plans")
    stage.memory.chats += [stage.thread(thread.id), Address("discord", f"-{stage.place.id}")]
    stage.discord.delete_channel(stage.place)
    stage.stays.doubt([str(thread.id), str(stage.place.id)])
    [event] = await stage.stays.look()
    assert list(places_in(event.fields)) == [Address("discord", f"-{stage.place.id}")]


async def test_a_deleted_thread_that_is_opened_again_is_back(stage: Stage) -> None:
    thread = stage.discord.thread(stage.place, "Plans")
    at = stage.thread(thread.id)
    stage.memory.chats.append(at)
    [left] = stage.stays.note(Event("THREAD_DELETE", 1, thread.json))
    assert left.name == LEFT
    assert stage.stays.note(Event("THREAD_CREATE", 2, thread.json)) == ()
    [back] = await stage.stays.look()
    assert (back.name, list(places_in(back.fields))) == (BACK, [at])
    assert not stage.stays.has_left(at)


async def test_a_new_thread_of_others_is_not_asked_for(stage: Stage) -> None:
    thread = stage.discord.thread(stage.place, "Plans")
    assert stage.stays.note(Event("THREAD_CREATE", 1, thread.json)) == ()
    assert await stage.stays.look() == []
    assert stage.discord.calls == []
