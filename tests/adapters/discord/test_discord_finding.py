"""A message whose confirmation was lost is found in a channel in which many people write."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.channel import DiscordChannel
from bot.adapters.discord.finding import MOST_PAGES
from bot.domain.talk.message import Address, Markdown, Outbound, OutboundKind, Piece
from bot.ports.sightings import Sighting, Traces
from tests.standins.discord import TOKEN, Discord, User

ANN = 700_000_000_000_000_042
PLACE = Address("discord", str(ANN))
ANSWER = Outbound(OutboundKind.ANSWER, (Markdown("Whole answer."),))


@dataclass
class Stage:
    discord: Discord
    ann: User
    channel: DiscordChannel

    @property
    def piece(self) -> Piece:
        return self.channel.split(ANSWER)[0]

    def talk(self, count: int) -> str:
        """Has Ann write so often; returns the id of her last message."""
        return str([self.discord.say(self.ann, f"{n}") for n in range(count)][-1].id)

    @property
    def reads(self) -> int:
        calls = self.discord.calls
        return sum(one.method == "GET" and one.path.endswith("/messages") for one in calls)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    server = Discord()
    ann = server.person(ANN, "Ann")
    async with server.serving() as url, DiscordApi(TOKEN, url) as api:
        yield Stage(server, ann, DiscordChannel(api, gated=False))


def before(*known: str) -> Traces:
    now = datetime.now(UTC)
    return Traces(now, [Sighting(PLACE, one, now - timedelta(seconds=1)) for one in known])


async def test_it_is_found_behind_hundreds_of_messages_of_others(stage: Stage) -> None:
    traces = before()
    stage.talk(250)
    sent = await stage.channel.send(PLACE, stage.piece)
    assert await stage.channel.find(PLACE, stage.piece, traces) == sent
    assert stage.reads == 3


async def test_what_was_known_before_is_not_read_again(stage: Stage) -> None:
    traces = before(stage.talk(250))
    sent = await stage.channel.send(PLACE, stage.piece)
    assert await stage.channel.find(PLACE, stage.piece, traces) == sent
    assert stage.reads == 1


async def test_the_pages_that_are_read_are_bounded(stage: Stage) -> None:
    traces = before()
    stage.talk(100 * MOST_PAGES + 50)
    await stage.channel.send(PLACE, stage.piece)
    assert await stage.channel.find(PLACE, stage.piece, traces) is None
    assert stage.reads == MOST_PAGES
