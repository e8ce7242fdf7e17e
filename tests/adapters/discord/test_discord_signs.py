"""Signs on messages from before a start: Discord tells what stands, and only that is taken back."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.domain.talk.message import Address, Sign
from tests.standins.discord import TOKEN, Discord, Message

ANN = 700_000_000_000_000_042


@dataclass
class Stage:
    server: Discord
    channel: DiscordChannel
    old: Message
    """A message from before the start."""

    async def sign(self, sign: Sign) -> None:
        await self.channel.sign(Address("discord", str(ANN)), sign, str(self.old.id))

    @property
    def reactions(self) -> list[str]:
        """The calls about reactions, by their methods."""
        return [one.method for one in self.server.calls if "/reactions/" in one.path]


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    server = Discord()
    old = server.say(server.person(ANN, "Ann"), "Hello")
    async with server.serving() as url, DiscordApi(TOKEN, url) as api:
        yield Stage(server, DiscordChannel(api, gated=False), old)


async def test_a_sign_that_does_not_stand_is_not_taken_back(stage: Stage) -> None:
    await stage.sign(Sign.NONE)
    assert stage.reactions == []
    await stage.sign(Sign.NONE)
    looked = [one for one in stage.server.calls if one.path.endswith(str(stage.old.id))]
    assert len(looked) == 1


async def test_the_sign_that_stands_is_replaced(stage: Stage) -> None:
    stage.old.reactions.append("👀")
    await stage.sign(Sign.WORKING)
    assert (stage.reactions, stage.old.reactions) == (["DELETE", "PUT"], ["✍️"])
    await stage.sign(Sign.DONE)
    assert stage.old.reactions == ["👌"]
