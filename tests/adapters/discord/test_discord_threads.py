"""The thread of a message: its address is known before, and the first send opens it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.domain.talk.errors import RecipientGone
from bot.domain.talk.message import Address, Piece, Sign
from tests.standins.discord import TOKEN, Channel, Discord, Message, User

HELLO = Piece({"text": "Hello."})


@dataclass(frozen=True)
class Stage:
    """A channel of a server with one message in it."""

    discord: Discord
    channel: DiscordChannel
    ann: User
    place: Channel
    asked: Message

    @property
    def address(self) -> Address:
        found = self.channel.thread_at(Address("discord", f"-{self.place.id}"), str(self.asked.id))
        assert found is not None
        return found

    @property
    def threads(self) -> list[Channel]:
        return [one for one in self.discord.places.channels.values() if one.type == 11]


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    discord = Discord()
    ann = discord.person(700_000_000_000_000_001, "Ann")
    place = discord.guild("Home", ann).channels[0]
    async with discord.serving() as url, DiscordApi(TOKEN, url) as api:
        channel = DiscordChannel(api, gated=False)
        yield Stage(discord, channel, ann, place, discord.say(ann, "A task of ours", at=place))


async def test_the_first_send_opens_the_thread_and_the_next_ones_find_it(stage: Stage) -> None:
    for name in ("one", "two"):
        await stage.channel.send(stage.address, HELLO, once=name)
    [thread] = stage.threads
    assert (thread.id, thread.name) == (stage.asked.id, "A task of ours")
    assert [one.text for one in stage.discord.screen(thread)] == ["Hello.", "Hello."]


async def test_a_sign_on_the_message_stands_above_its_thread_and_none_opens_it(
    stage: Stage,
) -> None:
    await stage.channel.sign(stage.address, Sign.TYPING)
    await stage.channel.sign(stage.address, Sign.WORKING, str(stage.asked.id))
    assert stage.asked.reactions == ["✍️"]
    assert stage.threads == []


async def test_a_thread_that_is_gone_and_was_not_the_messages_own_is_given_up(
    stage: Stage,
) -> None:
    gone = Address("discord", f"-{stage.place.id}", "1200000000000000000")
    with pytest.raises(RecipientGone):
        await stage.channel.send(gone, HELLO)
    with pytest.raises(RecipientGone):
        await stage.channel.send(Address("discord", "-1200000000000000000"), HELLO)


async def test_a_message_in_private_or_in_a_thread_opens_none(stage: Stage) -> None:
    at = stage.channel.thread_at
    assert at(Address("discord", "700000000000000001"), "5") is None
    assert at(stage.address, "5") is None


async def test_a_file_opens_the_thread_as_words_do(stage: Stage) -> None:
    piece = Piece({"text": "", "file": {"text": "a;b", "name": "a.csv"}})
    await stage.channel.send(stage.address, piece)
    [shown] = stage.discord.screen(stage.threads[0])
    assert [one["filename"] for one in shown.attachments] == ["a.csv"]
