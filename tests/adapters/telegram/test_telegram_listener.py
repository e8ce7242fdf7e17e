import asyncio
import json
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime, timedelta

import httpx
import pytest

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.listener import TelegramListener
from bot.domain.talk.message import Reached
from tests.adapters.telegram.receiving import Receiver, until
from tests.fakes.clock import FakeClock
from tests.standins.bot_api import BotApi, Person
from tests.words import KEEPS_TRYING, NO_TELEGRAM, TELEGRAM_BACK


@asynccontextmanager
async def listening(
    api: TelegramApi, clock: FakeClock, poll_seconds: int = 25, grace_seconds: float = 10.0
) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    listener = TelegramListener(api, clock, poll_seconds, grace_seconds)
    task = asyncio.create_task(listener.listen(receiver.accept))
    try:
        yield receiver
    finally:
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()


async def test_updates_arrive_as_raw_json_under_their_number(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    async with listening(api, FakeClock()) as receiver:
        server.say(ann, "one \ud800")
        [update] = await receiver.has(1)
    assert update.key == "500001"
    assert json.loads(update.body)["message"]["text"] == "one \ud800"
    update.body.encode()


async def test_it_begins_where_another_process_has_stopped(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    server.say(ann, "stored already")
    server.say(ann, "new")
    asked: list[str] = []

    async def stored_up_to(stream: str, since: datetime) -> str:
        asked.append(stream)
        assert timedelta(days=5) < clock.now() - since < timedelta(days=7)
        return "500002"

    clock, receiver = FakeClock(), Receiver()
    listener = TelegramListener(api, clock)
    listener.stored_up_to = stored_up_to
    task = asyncio.create_task(listener.listen(receiver.accept))
    [update] = await receiver.has(1)
    task.cancel()
    await asyncio.wait([task])
    assert update.key == "500002"
    assert update.reached == Reached(asked[0], "500003")
    assert asked == [f"telegram:{api.own_id}"], "another bot has other numbers"


async def test_a_batch_is_confirmed_only_after_it_was_accepted(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    clock = FakeClock()
    server.say(ann, "one")
    async with listening(api, clock) as receiver:
        receiver.refuse = 2
        await until(lambda: clock.sleepers)
        assert server.updates.confirmed == 500_001
        await clock.advance(1.0)
        await until(lambda: clock.sleepers)
        await clock.advance(2.0)
        await receiver.has(1)
        await server.wait_for(lambda: server.updates.confirmed == 500_002)
    assert clock.slept == [1.0, 2.0]


async def test_an_update_without_a_number_is_kept_and_blocks_nothing(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    for odd in ({"update_id": "x"}, [1], None, {"update_id": True}):
        server.push_update(odd)
    server.say(ann, "good")
    server.push_update({"update_id": 2**40})
    async with listening(api, FakeClock()) as receiver:
        updates = await receiver.has(6)
        await server.wait_for(lambda: server.updates.confirmed > 500_001)
    odd_keys = {update.key for update in updates if update.key.startswith("sha256:")}
    assert len(odd_keys) == 5
    assert any(update.key.isdigit() for update in updates)


async def test_updates_that_cannot_be_confirmed_do_not_spin(
    server: BotApi, api: TelegramApi
) -> None:
    clock = FakeClock()
    server.push_update({"update_id": "x"})
    async with listening(api, clock) as receiver:
        await receiver.has(1)
        await until(lambda: clock.sleepers)
        await clock.advance(1.0)
        await receiver.has(2)
    assert receiver.updates[0] == receiver.updates[1]


@pytest.mark.parametrize("body", ["", "{", "[]", '{"ok":true}', '{"ok":true,"result":{}}', "<p>"])
async def test_answers_that_cannot_be_read_are_tried_again(
    server: BotApi, api: TelegramApi, ann: Person, body: str
) -> None:
    clock = FakeClock()
    server.answer_raw_next("getUpdates", body)
    server.say(ann, "good")
    async with listening(api, clock) as receiver:
        await until(lambda: clock.sleepers)
        await clock.advance(1.0)
        await receiver.has(1)


async def test_an_absurdly_long_integer_spoils_nothing(server: BotApi, api: TelegramApi) -> None:
    body = '{"ok":true,"result":[{"update_id":7,"x":%s}]}' % ("9" * 5000)
    server.answer_raw_next("getUpdates", body)
    async with listening(api, FakeClock()) as receiver:
        [update] = await receiver.has(1)
    assert update.key == "7"


async def test_pauses_double_up_to_half_a_minute_and_start_anew(
    server: BotApi, api: TelegramApi, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    server.bad_gateway_next("getUpdates", times=6)
    server.drop_request_next("getUpdates")
    caplog.set_level(logging.INFO)
    async with listening(api, clock) as receiver:
        for _ in range(7):
            await until(lambda: clock.sleepers)
            await clock.advance(clock.slept[-1])
        server.say(ann, "good")
        await receiver.has(1)
        await server.wait_for(lambda: server.updates.polling)
        assert TELEGRAM_BACK not in caplog.text
        api.own_name = "steward_bot"
        server.bad_gateway_next("getUpdates")
        server.say(ann, "more")
        await receiver.has(2)
        await until(lambda: clock.sleepers)
        await clock.advance(1.0)
        await server.wait_for(lambda: server.updates.polling)
        server.say(ann, "again")
        await receiver.has(3)
    assert clock.slept == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 1.0]
    assert caplog.text.count(TELEGRAM_BACK) == 1


@pytest.mark.parametrize(
    ("status", "description", "retry_after", "pause", "told"),
    [
        (401, "Unauthorized", None, 60.0, "does not accept the bot token"),
        (404, "Not Found", None, 60.0, "does not accept the bot token"),
        (409, "Conflict: terminated by other getUpdates", None, 10.0, "Another program"),
        (429, "Too Many Requests: retry after 9", 9, 9.0, "asks for a pause"),
    ],
)
async def test_a_refused_poll_is_told_once_and_tried_at_leisure(
    server: BotApi,
    api: TelegramApi,
    caplog: pytest.LogCaptureFixture,
    status: int,
    description: str,
    retry_after: int | None,
    pause: float,
    told: str,
) -> None:
    clock = FakeClock()
    server.fail_next("getUpdates", status, description, retry_after=retry_after, times=3)
    async with listening(api, clock):
        for _ in range(3):
            await until(lambda: clock.sleepers)
            await clock.advance(pause)
        await server.wait_for(lambda: server.updates.polling)
    assert clock.slept == [pause] * 3
    assert [r.message.count(told) for r in caplog.records if r.levelno == logging.WARNING] == [1]


async def test_a_hanging_poll_is_cut(server: BotApi, api: TelegramApi, ann: Person) -> None:
    clock = FakeClock()
    server.stall_next("getUpdates")
    server.say(ann, "good")
    async with listening(api, clock, poll_seconds=0, grace_seconds=0.2) as receiver:
        await until(lambda: clock.sleepers)
        await clock.advance(1.0)
        await receiver.has(1)


async def test_a_way_that_fails_in_several_manners_is_told_in_one_line(
    server: BotApi, api: TelegramApi, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    server.drop_request_next("getUpdates")
    server.stall_next("getUpdates")
    server.say(ann, "good")
    async with listening(api, clock, poll_seconds=0, grace_seconds=0.2) as receiver:
        for _ in range(2):
            await until(lambda: clock.sleepers)
            await clock.advance(clock.slept[-1])
        await receiver.has(1)
    told = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert told == [f"{NO_TELEGRAM}: the connection was cut. {KEEPS_TRYING}"]


async def test_the_token_is_in_no_log_of_a_failing_poll(
    server: BotApi, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("httpx", "httpcore", "telegram", ""):
        caplog.set_level(logging.DEBUG, logger=name or None)
    clock = FakeClock()
    server.fail_next("getUpdates", 500, f"at /bot{server.token}/getUpdates")
    server.drop_request_next("getUpdates")
    async with TelegramApi(server.token, url) as api, listening(api, clock):
        for _ in range(2):
            await until(lambda: clock.sleepers)
            await clock.advance(clock.slept[-1])
        await server.wait_for(lambda: server.updates.polling)
    assert "<token>" in caplog.text
    assert server.token.lower() not in caplog.text.lower()


async def test_a_webhook_of_an_earlier_setting_is_deleted_once_and_what_waits_is_kept(
    server: BotApi, api: TelegramApi, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    server.say(ann, "waits")
    async with api.calling() as bot:
        await bot.set_webhook("https://bot.example.org/left")
    async with listening(api, clock) as receiver:
        await receiver.has(1)
        await server.wait_for(lambda: server.updates.polling)
        async with api.calling() as bot:
            await bot.set_webhook("https://bot.example.org/other-program")
        await until(lambda: clock.sleepers)
        await clock.advance(clock.slept[-1])
        await until(lambda: clock.sleepers)
    assert len(server.calls_of("deleteWebhook")) == 1
    assert server.webhook is not None
    told = [r.message for r in caplog.records if r.levelno == logging.WARNING]
    assert "I deleted it" in told[0]
    assert all("Another program" in message for message in told[1:])


async def test_a_webhook_that_cannot_be_deleted_yet_is_tried_again(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    clock = FakeClock()
    async with api.calling() as bot:
        await bot.set_webhook("https://bot.example.org/left")
    server.bad_gateway_next("deleteWebhook")
    server.say(ann, "waits")
    async with listening(api, clock) as receiver:
        await until(lambda: clock.sleepers)
        await clock.advance(clock.slept[-1])
        await receiver.has(1)


async def test_hours_offline_are_told_once_and_all_that_waited_comes_in_its_order(
    server: BotApi, api: TelegramApi, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    server.drop_request_next("getUpdates", times=300)
    for number in range(250):
        server.say(ann, str(number))
    async with listening(api, clock) as receiver:
        for _ in range(300):
            await until(lambda: clock.sleepers)
            await clock.advance(clock.slept[-1])
        updates = await receiver.has(250)
    assert sum(clock.slept) > 2 * 3600
    assert max(clock.slept) == 30.0
    texts = [json.loads(update.body)["message"]["text"] for update in updates]
    assert texts == [str(number) for number in range(250)]
    assert sum(record.levelno == logging.WARNING for record in caplog.records) == 1


async def test_a_second_poller_that_leaves_costs_no_update(
    server: BotApi, url: str, api: TelegramApi, ann: Person, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    async with listening(api, clock) as receiver, httpx.AsyncClient(verify=False) as other:
        await server.wait_for(lambda: server.updates.polling)
        await other.get(f"{url}/bot{server.token}/getUpdates")
        await until(lambda: clock.sleepers)
        server.say(ann, "while it slept")
        await clock.advance(10.0)
        await receiver.has(1)
    assert clock.slept == [10.0]
    assert "Another program reads this bot's updates" in caplog.text


async def test_a_clock_that_jumps_changes_no_poll(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    clock = FakeClock()
    async with listening(api, clock) as receiver:
        await server.wait_for(lambda: server.updates.polling)
        for hours in (1000, -2000):
            server.advance(hours * 3600.0)
            server.say(ann, "a message from another time")
        await receiver.has(2)
    assert clock.slept == []


async def test_an_update_too_deep_to_be_read_is_kept_and_those_behind_it_come(
    server: BotApi, api: TelegramApi, ann: Person
) -> None:
    deep = '{"update_id":500000,"message":' + "[" * 5_000 + "]" * 5_000 + "}"
    behind = '{"update_id":500001}'
    server.answer_raw_next("getUpdates", f'{{"ok":true,"result":[{deep},{behind}]}}')
    server.answer_raw_next("getUpdates", f'{{"ok":true,"result":[{deep}]}}')
    server.say(ann, "behind")
    async with listening(api, FakeClock()) as receiver:
        kept, following = await receiver.has(2)
    assert kept.key == "500000"
    assert "unreadable" in json.loads(kept.body)
    assert json.loads(following.body)["message"]["text"] == "behind"
