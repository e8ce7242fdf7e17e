"""Tokens, method names and what calls leave behind."""

import asyncio

import httpx
import pytest
import telegram
from telegram import InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import InvalidToken

from tests.standins.bot_api import TOKEN, BotApi, Person
from tests.standins.bot_api.asking import refusal, result

OK_BUTTON = InlineKeyboardMarkup([[InlineKeyboardButton("OK", callback_data="ok:1")]])


class TestDoor:
    async def test_a_wrong_token_is_unauthorized(self, base_url: str) -> None:
        async with httpx.AsyncClient(base_url=base_url, verify=False) as client:
            answer = await client.get("/bot4200:wrong/getMe")
        assert answer.status_code == 401
        assert answer.json() == {"ok": False, "error_code": 401, "description": "Unauthorized"}

    @pytest.mark.parametrize("path", ["/botnonsense/getMe", f"/bot{TOKEN}/noSuchMethod", "/"])
    async def test_a_malformed_token_or_unknown_method_is_not_found(
        self, base_url: str, path: str
    ) -> None:
        async with httpx.AsyncClient(base_url=base_url, verify=False) as client:
            answer = await client.get(path)
        assert answer.status_code == 404
        assert answer.json()["description"] == "Not Found"

    async def test_the_sdk_takes_a_wrong_token_for_invalid(self, base_url: str) -> None:
        bot = telegram.Bot("4200:wrong", base_url=f"{base_url}/bot")
        with pytest.raises(InvalidToken):
            await bot.initialize()
        await bot.shutdown()

    async def test_method_names_have_no_case(self, raw: httpx.AsyncClient) -> None:
        assert (await result(raw, "GETME"))["is_bot"] is True

    async def test_query_form_and_multipart_carry_the_same_parameters(
        self, api: BotApi, ann: Person, raw: httpx.AsyncClient
    ) -> None:
        params = {"chat_id": "42", "text": "a & ü"}
        await raw.get("sendMessage", params=params)
        await raw.post("sendMessage", data=params)
        await raw.post("sendMessage", files={k: (None, v) for k, v in params.items()})
        assert api.screen(42).texts == ["a & ü"] * 3


class TestAccount:
    async def test_commands_are_kept_and_checked(
        self, api: BotApi, bot: telegram.Bot, raw: httpx.AsyncClient
    ) -> None:
        await bot.set_my_commands([("start", "Begin")])
        assert [command.command for command in await bot.get_my_commands()] == ["start"]
        bad = [{"command": "Bad-Name", "description": "x"}]
        assert await refusal(raw, "setMyCommands", commands=bad) == "BOT_COMMAND_INVALID"
        await bot.set_my_description("Hello")
        assert (await bot.get_my_description()).description == "Hello"

    async def test_the_bot_knows_itself_and_its_chats(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        assert bot.username == "steward_bot"
        assert (await bot.get_chat(42)).username == "ann"


class TestLooking:
    async def test_calls_are_recorded_in_order_with_decoded_parameters(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        await bot.send_message(42, "x", reply_markup=OK_BUTTON)
        last = api.calls[-1]
        assert [call.method for call in api.calls] == ["getMe", "sendMessage"]
        assert last.params["reply_markup"] == OK_BUTTON.to_dict()
        assert (last.number, last.status) == (2, 200)

    async def test_waiting_ends_with_the_change_or_in_time(
        self, api: BotApi, ann: Person, bot: telegram.Bot
    ) -> None:
        waiting = asyncio.create_task(api.wait_for(lambda: api.screen(42).texts))
        await bot.send_message(42, "x")
        assert await waiting == ["x"]
        with pytest.raises(TimeoutError):
            await api.wait_for(lambda: False, seconds=0.01)
