"""The channel behind the flood gate, before a Bot API that counts as the real one does."""

import asyncio

import pytest

from bot.adapters.system_clock import SystemClock
from bot.adapters.telegram.addresses import is_group
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.channel import TelegramChannel
from bot.domain.talk.limits import SendRates
from bot.domain.talk.message import Address, Piece
from bot.flow.delivery.flood_gate import FloodGate, GatedChannel
from bot.ports.clock import Clock
from tests.adapters.telegram.receiving import until
from tests.fakes.clock import FakeClock
from tests.standins.bot_api import BotApi, Rates


def gated(api: TelegramApi, clock: Clock) -> GatedChannel:
    return GatedChannel(TelegramChannel(api), FloodGate(SendRates(), clock, is_group))


def piece(text: str) -> Piece:
    return Piece({"text": text})


def private_chats(server: BotApi, count: int) -> list[Address]:
    people = [server.person() for _ in range(count)]
    return [Address("telegram", str(server.private_chat(person).id)) for person in people]


def group(server: BotApi) -> Address:
    return Address("telegram", str(server.group("Team", server.person()).id))


@pytest.mark.parametrize(
    ("chat", "expected"),
    [("42", False), ("-42", True), ("-1001234567890", True), ("7000000000", False)],
)
def test_groups_are_known_by_their_number(chat: str, expected: bool) -> None:
    assert is_group(Address("telegram", chat)) is expected


async def test_a_hundred_chats_get_their_answers_and_none_is_refused(
    server: BotApi, api: TelegramApi
) -> None:
    server.rates = Rates()
    channel = gated(api, SystemClock())
    chats = [*private_chats(server, 99), group(server)]
    async with asyncio.TaskGroup() as sending:
        for chat in chats:
            sending.create_task(channel.send(chat, piece(f"an answer for {chat.chat}")))
    assert server.floods == 0
    assert {call.status for call in server.calls_of("sendMessage")} == {200}
    shown = [server.screen(int(chat.chat)).from_bot[0].text for chat in chats]
    assert shown == [f"an answer for {chat.chat}" for chat in chats]


async def test_a_busy_group_waits_for_its_own_minute_and_delays_nobody(
    server: BotApi, api: TelegramApi
) -> None:
    clock = FakeClock()
    channel = gated(api, clock)
    team = group(server)
    posts = [asyncio.create_task(channel.send(team, piece(f"post {n}"))) for n in range(22)]
    for done in range(3, 20):
        await until(lambda n=done: sum(post.done() for post in posts) == n)
        await clock.advance(1.0)
    await until(lambda: sum(post.done() for post in posts) == 20)
    for chat in private_chats(server, 10):
        await channel.send(chat, piece("at once"))
    assert clock.steady() == 17.0
    await clock.advance(42.9)
    assert sum(post.done() for post in posts) == 20
    await clock.advance(0.1)
    await asyncio.gather(*posts)
    texts = [message.text for message in server.screen(int(team.chat)).from_bot]
    assert texts == [f"post {n}" for n in range(22)]


async def test_a_group_told_to_wait_is_silent_so_long_and_the_others_are_not(
    server: BotApi, api: TelegramApi
) -> None:
    clock = FakeClock()
    channel = gated(api, clock)
    team = group(server)
    server.fail_next("sendMessage", 429, "Too Many Requests: retry after 25", retry_after=25)
    post = asyncio.create_task(channel.send(team, piece("later")))
    await until(lambda: clock.sleepers)
    for chat in private_chats(server, 10):
        await channel.send(chat, piece("at once"))
    await clock.advance(24.9)
    assert not post.done()
    assert server.screen(int(team.chat)).from_bot == []
    await clock.advance(0.2)
    await post
    assert len(server.screen(int(team.chat)).from_bot) == 1
