"""The webhook: Telegram calls us over real HTTP, and what stands in its way is told."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.adapters.http_server.http_servers import HttpServers
from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.webhook import LOOK_SECONDS, TelegramWebhook
from bot.domain.talk.errors import ChannelError
from tests.adapters.telegram.receiving import Receiver, until
from tests.fakes.clock import FakeClock
from tests.standins.bot_api import BotApi, Person

ORIGIN = "https://bot.example.org"
URL = f"{ORIGIN}/telegram/hook"
SECRET = "a-secret-nobody-may-guess"


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@asynccontextmanager
async def hooked(
    server: BotApi,
    api: TelegramApi,
    clock: FakeClock,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
) -> AsyncIterator[None]:
    """A webhook whose proxy hands on to the port it tells; judged to end when cancelled."""
    caplog.set_level(logging.INFO)
    webhook = TelegramWebhook(
        api,
        clock,
        URL,
        SECRET,
        0,
        lambda door, port: HttpServers().serving(door, door.path, port, "STEWARD_WEBHOOK_PORT"),
    )
    task = asyncio.create_task(webhook.listen(receiver.accept))
    try:
        words = "awaited on 127.0.0.1:"
        await until(lambda: words in caplog.text)
        port = caplog.text.partition(words)[2].split()[0]
        server.route(ORIGIN, f"http://127.0.0.1:{port}")
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def test_updates_are_called_in_and_confirmed(
    server: BotApi,
    api: TelegramApi,
    receiver: Receiver,
    ann: Person,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.say(ann, "before")
    async with hooked(server, api, FakeClock(), receiver, caplog):
        await server.wait_for(lambda: server.webhook)
        server.say(ann, "after \ud800")
        await server.wait_for(lambda: not server.updates.pending)
    assert receiver.texts == ["before", "after \ud800"]
    [call] = server.calls_of("setWebhook")
    assert call.params["url"] == URL
    kinds = ["message", "edited_message", "callback_query", "my_chat_member", "message_reaction"]
    assert call.params["allowed_updates"] == kinds


async def test_a_failing_store_delays_an_update_and_loses_none(
    server: BotApi,
    api: TelegramApi,
    receiver: Receiver,
    ann: Person,
    caplog: pytest.LogCaptureFixture,
) -> None:
    receiver.refuse = 2
    async with hooked(server, api, FakeClock(), receiver, caplog):
        await server.wait_for(lambda: server.webhook)
        for text in ("one", "two"):
            server.say(ann, text)
        await server.wait_for(lambda: not server.updates.pending)
    assert receiver.texts == ["one", "two"]
    assert [d.status for d in server.courier.deliveries] == [503, 503, 200, 200]


@pytest.mark.parametrize(
    ("status", "description", "pause", "told"),
    [
        (401, "Unauthorized", 1.0, "does not accept the bot token"),
        (400, "Bad Request: bad webhook: no such host", 1.0, "no such host"),
        (429, "Too Many Requests: retry after 9", 9.0, "asks for a pause"),
        (502, "Bad Gateway", 1.0, "Bad Gateway"),
    ],
)
async def test_a_refusal_is_told_once_and_tried_again(
    server: BotApi,
    api: TelegramApi,
    receiver: Receiver,
    caplog: pytest.LogCaptureFixture,
    status: int,
    description: str,
    pause: float,
    told: str,
) -> None:
    clock = FakeClock()
    wait = 9 if status == 429 else None
    server.fail_next("setWebhook", status, description, retry_after=wait, times=2)
    async with hooked(server, api, clock, receiver, caplog):
        for _ in range(2):
            await until(lambda: clock.sleepers)
            await clock.advance(clock.slept[-1])
        await server.wait_for(lambda: server.webhook)
    assert clock.slept[0] == pause
    assert [told in r.message for r in caplog.records if r.levelno == logging.WARNING] == [True]


async def test_a_webhook_another_program_moved_is_set_again(
    server: BotApi,
    api: TelegramApi,
    receiver: Receiver,
    ann: Person,
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    async with hooked(server, api, clock, receiver, caplog):
        await until(lambda: clock.sleepers)
        async with api.calling() as bot:
            await bot.delete_webhook()
        server.say(ann, "waits")
        await clock.advance(LOOK_SECONDS)
        await server.wait_for(lambda: not server.updates.pending)
    assert "Another program" in caplog.text


async def test_what_keeps_telegram_from_us_is_told_once(
    server: BotApi,
    api: TelegramApi,
    receiver: Receiver,
    ann: Person,
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = FakeClock()
    server.stop_clock()
    async with hooked(server, api, clock, receiver, caplog):
        await until(lambda: clock.sleepers)
        server.route(ORIGIN, "http://127.0.0.1:9")
        server.say(ann, "lost?")
        await server.wait_for(lambda: server.courier.deliveries)
        for looks in (1, 2):
            await clock.advance(LOOK_SECONDS)
            await until(lambda n=looks: len(server.calls_of("getWebhookInfo")) == n)
            await until(lambda: clock.sleepers)
    told = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert told == ["Telegram could not deliver: Connection refused; 1 updates wait"]


async def test_the_account_tells_how_updates_arrive(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    account = TelegramAccount(api)
    assert await account.check_webhook("") == "Updates are polled; 0 updates wait."
    assert "the next run sets it" in await account.check_webhook(URL)
    async with api.calling() as bot:
        await bot.set_webhook(URL)
    assert await account.check_webhook(URL) == f"Telegram calls {URL}; 0 updates wait."
    assert "the next run deletes that webhook" in await account.check_webhook("")
    with pytest.raises(ChannelError, match="another setting or program"):
        await account.check_webhook("https://bot.example.org/other")
    server.say(ann, "nobody is there")
    await server.wait_for(lambda: server.courier.deliveries)
    with pytest.raises(ChannelError, match=r"Failed to resolve host.*; 1 updates wait"):
        await account.check_webhook(URL)
