"""What a chat has missed is read from its newest message back, and an owner's first words too."""

import json
import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.messages import number_at, time_of
from bot.adapters.discord.missed import LEFT_OUT, Missed
from bot.adapters.discord.stays import Stays
from bot.adapters.discord.updates import parse_event
from bot.domain.talk.brought_back import ALL_READ
from bot.domain.talk.message import Address, LeftOut
from tests.adapters.discord.test_discord_stays import Memory
from tests.fakes.clock import FakeClock
from tests.standins.discord import TOKEN, Channel, Discord, Message, User

ANN = 700_000_000_000_000_042


@dataclass
class Owned(Memory):
    """What the program knows, and who owns it."""

    accounts: Sequence[str] = ()
    brought_back: datetime | None = None

    async def reached(self, stream: str, since: datetime) -> str:
        back = self.brought_back
        known = stream == ALL_READ and back is not None and back >= since
        return back.isoformat() if known and back else ""

    async def owners(self) -> Sequence[str]:
        return self.accounts


@dataclass
class Stage:
    discord: Discord
    ann: User
    missed: Missed
    known: Owned
    places: KnownChannels

    async def of_this_run(self) -> Sequence[str]:
        """The words that a first session of the program finds."""
        return words(await self.missed.messages(0, None))

    async def after_a_gap(self, since: datetime) -> Sequence[str]:
        return words(await self.missed.messages(0, since))


def words(events: Sequence[Event]) -> list[str]:
    found = [one.fields.text("content") or "" for one in events if one.name == "MESSAGE_CREATE"]
    return [one for one in found if one]


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    server = Discord()
    ann = server.person(ANN, "Ann")
    async with server.serving() as url, DiscordApi(TOKEN, url) as api:
        places = KnownChannels(api)
        stays = Stays(api, places, FakeClock())
        missed, known = Missed(api, places, stays), Owned()
        await missed.prepare(known)
        yield Stage(server, ann, missed, known, places)


def written(stage: Stage, count: int, at: Channel | None = None) -> None:
    place = at or stage.discord.places.direct(stage.ann)
    new = [Message(place, stage.ann, f"{n}") for n in range(count)]
    stage.discord.places.messages += new


async def test_of_many_missed_messages_none_is_lost(stage: Stage) -> None:
    since = datetime.now(UTC)
    stage.known.chats.append(Address("discord", str(ANN)))
    written(stage, 740)
    assert await stage.after_a_gap(since) == [str(n) for n in range(740)]


async def test_of_too_many_the_newest_are_read_and_it_is_told_what_is_left_out(
    stage: Stage, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.adapters.discord.missed.MOST_PAGES", 2)
    since = datetime.now(UTC)
    guild = stage.discord.guild("Home", stage.ann)
    place = guild.channels[0]
    stage.known.chats.append(Address("discord", f"-{place.id}"))
    written(stage, 400, place)
    with caplog.at_level(logging.WARNING):
        assert await stage.after_a_gap(since) == [str(n) for n in range(150, 400)]
    assert f"channel {place.id}" in caplog.text
    assert "are left out" in caplog.text


@pytest.mark.parametrize("where", ["in private", "in a server"])
async def test_what_is_left_out_names_its_chat_and_how_much_was_read(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr("bot.adapters.discord.missed.MOST_PAGES", 1)
    private = where == "in private"
    since, title = datetime.now(UTC), ""
    if private:
        place, address = stage.discord.places.direct(stage.ann), Address("discord", str(ANN))
    else:
        place = stage.discord.guild("Home", stage.ann).channels[0]
        address, title = Address("discord", f"-{place.id}"), f"#{place.name}"
    stage.known.chats.append(address)
    written(stage, 160, place)
    oldest = stage.discord.places.messages[-150]
    (gap,) = [e for e in await stage.missed.messages(0, since) if e.name == LEFT_OUT]
    beside = await stage.places.of(gap.fields)
    body = json.dumps({"t": gap.name, "d": gap.data, "place": beside})
    left = parse_event(body, str(stage.discord.bot.id))
    assert left == LeftOut(address, time_of(str(oldest.id)), 100, private, title)


async def test_the_first_words_of_an_owner_are_found(stage: Stage) -> None:
    stage.known.accounts = ["telegram:42", f"discord:{ANN}"]
    stage.discord.say(stage.ann, "Hello?")
    assert await stage.of_this_run() == ["Hello?"]
    assert await stage.of_this_run() == []


async def test_words_that_the_bot_has_answered_are_not_first_words(stage: Stage) -> None:
    stage.known.accounts = [f"discord:{ANN}"]
    stage.discord.say(stage.ann, "Answered long ago")
    place = stage.discord.places.direct(stage.ann)
    stage.discord.places.messages.append(Message(place, stage.discord.bot, "An answer"))
    assert await stage.of_this_run() == []
    stage.discord.say(stage.ann, "And now?")


async def test_nothing_from_before_a_backup_was_brought_back_is_asked_for(stage: Stage) -> None:
    """The home that is gone has answered it, or was about to: not even a moment counts."""
    stage.known.brought_back = now = datetime.now(UTC)
    stage.known.accounts = [f"discord:{ANN}"]
    guild = stage.discord.guild("Home", stage.ann)
    stage.known.chats.append(Address("discord", f"-{guild.channels[0].id}"))
    for place in (guild.channels[0], stage.discord.places.direct(stage.ann)):
        written(stage, 2, place)
        old, new = stage.discord.places.messages[-2:]
        old.id = int(number_at(now - timedelta(seconds=1)))
        new.id = int(number_at(now + timedelta(seconds=1))) + place.id % 2
    assert await stage.after_a_gap(now) == ["1", "1"]


async def test_an_owner_who_cannot_be_written_to_harms_nobody(stage: Stage) -> None:
    stage.known.accounts = ["discord:1", f"discord:{ANN}"]
    stage.discord.say(stage.ann, "Hello?")
    assert await stage.of_this_run() == ["Hello?"]
