"""Rates and ordered faults."""

import asyncio

import httpx
import pytest
import telegram
from telegram.error import BadRequest, NetworkError, RetryAfter

from tests.standins.bot_api import BotApi, Person, Rates
from tests.standins.bot_api.asking import result


class TestRates:
    @pytest.mark.filterwarnings("ignore::telegram.warnings.PTBDeprecationWarning")
    async def test_sends_edits_and_drafts_of_a_chat_share_one_rate(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.stop_clock()
        api.rates = Rates(chat_burst=3)
        sent = await bot.send_message(42, "1")
        await bot.edit_message_text("2", 42, sent.message_id)
        await bot.send_message_draft(42, 1, "3")
        with pytest.raises(RetryAfter) as flood:
            await bot.send_message(42, "4")
        assert flood.value._retry_after.total_seconds() == 1
        assert api.floods == 1
        api.advance(1)
        await bot.send_message(42, "4")

    async def test_a_group_bears_20_a_minute(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        api.stop_clock()
        api.rates = Rates()
        group = api.group("Team", ann)
        for number in range(20):
            await result(raw, "sendMessage", chat_id=group.id, text=str(number))
            api.advance(1)
        answer = await raw.post("sendMessage", json={"chat_id": group.id, "text": "x"})
        assert answer.status_code == 429
        retry_after = answer.json()["parameters"]["retry_after"]
        assert retry_after == 40
        assert answer.json()["description"] == f"Too Many Requests: retry after {retry_after}"

    async def test_all_chats_together_share_one_rate_a_second(
        self, api: BotApi, raw: httpx.AsyncClient
    ) -> None:
        api.stop_clock()
        api.rates = Rates(all_per_second=2)
        statuses: list[int] = []
        for number in range(3):
            person = api.person(first_name=str(number))
            api.private_chat(person)
            answer = await raw.post("sendMessage", json={"chat_id": person.id, "text": "x"})
            statuses.append(answer.status_code)
        assert statuses == [200, 200, 429]

    async def test_without_rates_nothing_is_refused(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        for number in range(40):
            await result(raw, "sendMessage", chat_id=42, text=str(number))
        assert api.floods == 0


class TestFaults:
    @pytest.mark.filterwarnings("ignore::telegram.warnings.PTBDeprecationWarning")
    async def test_an_ordered_failure_comes_as_often_as_ordered(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.fail_next("sendMessage", 429, "Too Many Requests: retry after 7", retry_after=7)
        api.fail_next("sendMessage", 400, "Bad Request: nope", times=2)
        with pytest.raises(RetryAfter):
            await bot.send_message(42, "x")
        for _ in range(2):
            with pytest.raises(BadRequest, match=r"(?i)nope"):
                await bot.send_message(42, "x")
        await bot.send_message(42, "x")
        assert [call.status for call in api.calls_of("sendMessage")] == [429, 400, 400, 200]
        assert api.screen(42).texts == ["x"]

    async def test_a_dropped_request_does_nothing(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.drop_request_next("sendMessage")
        with pytest.raises(NetworkError):
            await bot.send_message(42, "x")
        assert api.screen(42).texts == []
        assert api.calls[-1].status is None

    async def test_a_dropped_answer_hides_work_that_was_done(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        api.drop_answer_next("sendMessage")
        with pytest.raises(NetworkError):
            await bot.send_message(42, "x")
        assert api.screen(42).texts == ["x"]

    @pytest.mark.parametrize("after_work", [False, True])
    async def test_a_gate_holds_a_call_before_or_after_its_work(
        self, api: BotApi, ann: Person, bot: telegram.Bot, after_work: bool
    ) -> None:
        gate = api.hold("sendMessage", after_work=after_work)
        sending = asyncio.create_task(bot.send_message(42, "x"))
        await gate.arrived()
        assert gate.holding
        assert api.screen(42).texts == (["x"] if after_work else [])
        assert not sending.done()
        gate.release()
        await sending
        assert api.screen(42).texts == ["x"]

    async def test_malformed_json_and_a_gateway_page_are_network_faults(
        self, api: BotApi, ann: Person, bot: telegram.Bot, raw: httpx.AsyncClient
    ) -> None:
        api.answer_raw_next("sendMessage", '{"ok":true,"result":{"mess', after_work=True)
        api.bad_gateway_next("sendMessage")
        with pytest.raises(telegram.error.TelegramError, match="Invalid server response"):
            await bot.send_message(42, "x")
        answer = await raw.post("sendMessage", json={"chat_id": 42, "text": "y"})
        assert answer.status_code == 502
        assert answer.headers["content-type"].startswith("text/html")
        assert api.screen(42).texts == ["x"]

    async def test_a_stalled_poll_ends_with_its_client(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        await result(raw, "getMe")  # The connection is there; only the answer has little time.
        api.say(ann, "x")
        api.stall_next("getUpdates")
        with pytest.raises(httpx.ReadTimeout):
            await raw.post("getUpdates", timeout=0.2)
        assert len(await result(raw, "getUpdates")) == 1
        assert api.faults.unused == 0
