"""The stand-in refuses what Discord refuses."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from tests.patience import PATIENCE
from tests.standins.discord import TOKEN, Discord, Interaction, Message
from tests.standins.discord.discord import APPLICATION_ID
from tests.standins.discord.routes import answer_seconds

HEADERS = {"Authorization": f"Bot {TOKEN}", "User-Agent": "DiscordBot (test, 1)"}
IDENTIFY = {
    "token": TOKEN,
    "intents": 1 << 9 | 1 << 12,
    "properties": {"os": "x", "browser": "x", "device": "x"},
}


class Caller:
    """Somebody who knows the token and calls the API by hand."""

    def __init__(self, url: str, session: aiohttp.ClientSession) -> None:
        self.url = url
        self.session = session

    async def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        sent = HEADERS | headers
        async with self.session.request(
            method, self.url + path, json=body, headers=sent
        ) as response:
            text = await response.text()
            return response.status, json.loads(text) if text else None

    @asynccontextmanager
    async def socket(self) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        address = f"{self.url}/gateway?v=10&encoding=json"
        async with self.session.ws_connect(address) as socket:
            assert (await socket.receive_json())["op"] == 10
            yield socket


@pytest.fixture
async def discord() -> Discord:
    return Discord()


@pytest.fixture
async def caller(discord: Discord) -> AsyncIterator[Caller]:
    async with discord.serving() as url, aiohttp.ClientSession() as session:
        yield Caller(url, session)


def button(**more: Any) -> list[Any]:
    one = {"type": 2, "style": 2, "label": "Yes", "custom_id": "a", **more}
    return [{"type": 1, "components": [one]}]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"content": "x" * 2001}, 50035),
        ({"content": " "}, 50006),
        ({"content": "x", "nonce": "n" * 26}, 50035),
        ({"content": "x", "flags": 1 << 6}, 50035),
        ({"content": "x", "unknown": 1}, 50035),
        ({"content": "x", "message_reference": {"message_id": "5"}}, 50035),
        ({"content": "x", "components": button(custom_id="c" * 101)}, 50035),
        ({"content": "x", "components": button(label="l" * 81)}, 50035),
        ({"content": "x", "components": button() * 2}, 50035),
        ({"content": "x", "components": button() * 6}, 50035),
    ],
)
async def test_a_message_beyond_the_limits_is_refused(
    discord: Discord, caller: Caller, body: dict[str, Any], code: int
) -> None:
    channel = discord.places.direct(discord.person(42, "Ann"))
    status, told = await caller.call("POST", f"/channels/{channel.id}/messages", body)
    assert (status, told["code"]) == (400, code)
    assert discord.places.messages == []


async def test_a_nonce_that_is_enforced_makes_one_message(discord: Discord, caller: Caller) -> None:
    path = f"/channels/{discord.places.direct(discord.person(42, 'Ann')).id}/messages"
    body = {"content": "x", "nonce": "n", "enforce_nonce": True}
    first, again = [await caller.call("POST", path, body) for _ in range(2)]
    assert first[1]["id"] == again[1]["id"]
    loose = await caller.call("POST", path, {"content": "x", "nonce": "n"})
    assert loose[1]["id"] != first[1]["id"]


async def test_without_the_token_nothing_is_told(caller: Caller) -> None:
    status, _ = await caller.call("GET", "/users/@me", Authorization="Bot other")
    assert status == 401


async def test_people_are_called_by_a_message_that_does_not_forbid_it(
    discord: Discord, caller: Caller
) -> None:
    path = f"/channels/{discord.places.direct(discord.person(42, 'Ann')).id}/messages"
    await caller.call("POST", path, {"content": "@everyone", "allowed_mentions": {"parse": []}})
    assert discord.called == []
    await caller.call("POST", path, {"content": "@everyone"})
    assert discord.called == ["everyone"]


async def test_a_press_is_answered_once_and_within_three_seconds(
    discord: Discord, caller: Caller
) -> None:
    ann = discord.person(42, "Ann")
    card = Message(discord.places.direct(ann), discord.bot, "Card", components=button())
    late, soon = (discord.press(ann, card, "Yes") for _ in range(2))
    late.made_at = time.monotonic() - 1.1 * answer_seconds()

    async def answer(press: Interaction, kind: int) -> tuple[int, Any]:
        return await caller.call(
            "POST", f"/interactions/{press.id}/{press.token}/callback", {"type": kind}
        )

    assert (await answer(late, 6))[1]["code"] == 10062
    assert (await answer(soon, 5))[0] == 400
    assert (await answer(soon, 6))[0] == 204
    assert (await answer(soon, 6))[1]["code"] == 40060
    notice = {"content": "No.", "flags": 1 << 6}
    assert (await caller.call("POST", f"/webhooks/{APPLICATION_ID}/{late.token}", notice))[0] == 404
    assert (await caller.call("POST", f"/webhooks/{APPLICATION_ID}/{soon.token}", notice))[0] == 200
    assert soon.notices == ["No."]
    assert (await caller.call("POST", f"/webhooks/1/{soon.token}", notice))[0] == 403


async def test_a_bucket_that_is_empty_refuses_and_says_when_to_come_again(
    discord: Discord, caller: Caller
) -> None:
    discord.rates.bounds["/typing"] = (1, 30.0)
    path = f"/channels/{discord.places.direct(discord.person(42, 'Ann')).id}/typing"
    assert (await caller.call("POST", path))[0] == 204
    status, told = await caller.call("POST", path)
    assert status == 429
    assert 0 < told["retry_after"] <= 30


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"op": 2, "d": {**IDENTIFY, "token": "other"}}, 4004),
        ({"op": 2, "d": {**IDENTIFY, "intents": 1 << 15}}, 4014),
        ({"op": 3, "d": {}}, 4003),
        ({"op": 6, "d": {"token": "other", "session_id": "x", "seq": 1}}, 4004),
    ],
)
async def test_the_gateway_ends_what_it_does_not_allow(
    discord: Discord, caller: Caller, payload: dict[str, Any], code: int
) -> None:
    discord.portal(reads_words=False)
    async with caller.socket() as socket:
        await socket.send_json(payload)
        await socket.receive()
        assert socket.close_code == code


async def test_a_session_sends_again_what_came_behind_a_number(
    discord: Discord, caller: Caller
) -> None:
    async with caller.socket() as socket:
        await socket.send_json({"op": 2, "d": IDENTIFY})
        ready = await socket.receive_json()
        await socket.close(code=4000)
    assert ready["t"] == "READY"
    discord.say(discord.person(42, "Ann"), "While nobody listened")
    async with caller.socket() as socket, asyncio.timeout(PATIENCE):
        resume = {"token": TOKEN, "session_id": ready["d"]["session_id"], "seq": ready["s"]}
        await socket.send_json({"op": 6, "d": resume})
        heard = [await socket.receive_json() for _ in range(2)]
    names = {event["t"] for event in heard}
    assert names == {"MESSAGE_CREATE", "RESUMED"}


async def test_a_session_that_was_closed_for_good_is_not_gone_on_with(
    discord: Discord, caller: Caller
) -> None:
    async with caller.socket() as socket:
        await socket.send_json({"op": 2, "d": IDENTIFY})
        ready = await socket.receive_json()
    async with caller.socket() as socket, asyncio.timeout(PATIENCE):
        resume = {"token": TOKEN, "session_id": ready["d"]["session_id"], "seq": ready["s"]}
        await socket.send_json({"op": 6, "d": resume})
        assert (await socket.receive_json())["op"] == 9
    assert discord.gateway.resumed == 0


async def test_words_of_a_server_are_kept_from_a_bot_without_the_intent(
    discord: Discord, caller: Caller
) -> None:
    ann = discord.person(42, "Ann")
    guild = discord.guild("Home", ann)
    async with caller.socket() as socket, asyncio.timeout(PATIENCE):
        await socket.send_json({"op": 2, "d": IDENTIFY})
        assert [(await socket.receive_json())["t"] for _ in range(2)] == ["READY", "GUILD_CREATE"]
        for words in ("secret", f"<@{discord.bot.id}> hello"):
            discord.say(ann, words, at=guild.channels[0])
        heard = [(await socket.receive_json())["d"]["content"] for _ in range(2)]
    assert heard == ["", f"<@{discord.bot.id}> hello"]
