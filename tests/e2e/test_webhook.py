"""The program behind a proxy that Telegram calls, instead of polling."""

import asyncio
import socket
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.e2e.steward import Steward
from tests.ports import free_port
from tests.standins.bot_api import BotApi
from tests.standins.messages_api import Gate, text, thinking
from tests.standins.serving import drop_connection, serving
from tests.words import WEBHOOK_SET

ORIGIN = "https://bot.example.org"
HEADER = "X-Telegram-Bot-Api-Secret-Token"


class Proxy:
    """Hands calls on to the program; `answers` are the statuses it got.

    With `swallow` the next answer is held back, and never handed to Telegram.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self.answers: list[int] = []
        self.swallow = False
        self.swallowed = asyncio.Event()
        self.release = asyncio.Event()
        self.app = Starlette(routes=[Route("/{path:path}", self.hand_on, methods=["POST"])])

    async def hand_on(self, request: Request) -> Response:
        headers = {HEADER: request.headers.get(HEADER, "")}
        body = await request.body()
        try:
            async with httpx.AsyncClient(base_url=self._target, verify=False) as client:
                answer = await client.post(request.url.path, content=body, headers=headers)
        except httpx.HTTPError:
            return Response(status_code=502)
        self.answers.append(answer.status_code)
        if self.swallow:
            self.swallow = False
            self.swallowed.set()
            await self.release.wait()
            await drop_connection(request)
        return Response(status_code=answer.status_code)


@pytest.fixture
async def proxy(steward: Steward) -> AsyncIterator[Proxy]:
    """A proxy before the port the program will listen on."""
    port = free_port()
    steward.settings |= {
        "TELEGRAM_WEBHOOK_URL": f"{ORIGIN}/telegram/hook",
        "STEWARD_WEBHOOK_PORT": str(port),
    }
    proxy = Proxy(f"http://127.0.0.1:{port}")
    async with serving(proxy.app) as url:
        steward.telegram.route(ORIGIN, url)
        yield proxy


async def _taken(telegram: BotApi) -> None:
    await telegram.wait_for(lambda: not telegram.updates.pending)


@pytest.mark.telegrams_own("webhooks")
async def test_a_talk_and_what_came_before_the_start(steward: Steward, proxy: Proxy) -> None:
    steward.script(thinking("Hm.") + text("Hello, Ann."), text("Again."))
    steward.say("Hello")
    await steward.start()
    await steward.sees("Hello, Ann.")
    steward.say("Once more")
    await steward.sees("Again.")
    await _taken(steward.telegram)
    assert steward.telegram.calls_of("getUpdates") == []
    assert proxy.answers.count(200) == 2


@pytest.mark.telegrams_own("webhooks")
async def test_killed_between_accepting_and_answering_it_handles_the_update_once(
    steward: Steward, proxy: Proxy
) -> None:
    lost = Gate()
    steward.script(thinking("Hm.") + text("lost").held(lost), thinking("Hm.") + text("Hello, Ann."))
    proxy.swallow = True
    await steward.start()
    steward.say("Hello")
    await proxy.swallowed.wait()
    await lost.arrived()
    await steward.kill()
    proxy.release.set()
    await steward.start()
    await steward.sees("Hello, Ann.")
    await _taken(steward.telegram)
    assert len(steward.shown) == 1
    assert proxy.answers.count(200) == 2
    steward.script(text("One turn so far."))
    steward.say("Again")
    await steward.sees("One turn so far.")
    assert len(steward.records.stop_reasons) == 2


@pytest.mark.telegrams_own("webhooks")
async def test_hours_without_the_program_lose_nothing(steward: Steward, proxy: Proxy) -> None:
    steward.script(text("I am here."), text("So I am again."))
    await steward.start()
    steward.say("Are you there?")
    await steward.sees("I am here.")
    await steward.kill()
    steward.say("And now?")
    await steward.telegram.wait_for(lambda: steward.telegram.courier.failures.at)
    await steward.start()
    await steward.sees("So I am again.")
    await _taken(steward.telegram)
    assert proxy.answers.count(200) == 2
    assert "without the right secret" not in steward.output


@pytest.mark.telegrams_own("webhooks")
@pytest.mark.parametrize("secret", ["", "a-wrong-secret-of-some-length"])
async def test_a_stranger_leaves_nothing(steward: Steward, proxy: Proxy, secret: str) -> None:
    await steward.start()
    await steward.until(lambda: steward.telegram.webhook)
    forged = {"update_id": 9, "message": {"text": "/allow 7"}}
    port = steward.settings["STEWARD_WEBHOOK_PORT"]
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", verify=False) as client:
        answer = await client.post("/telegram/hook", json=forged, headers={HEADER: secret})
        assert answer.status_code == 403
        large = await client.post(
            "/telegram/hook",
            content=b" " * 2_000_000,
            headers={HEADER: _secret(steward)},
        )
        assert large.status_code == 413
    assert steward.records.rows("SELECT key FROM inbox") == []


def _secret(steward: Steward) -> str:
    """The secret of this start, which Telegram was told and nobody else may be."""
    webhook = steward.telegram.webhook
    assert webhook is not None
    assert len(webhook.secret) > 30
    assert webhook.secret not in steward.output
    return webhook.secret


@pytest.mark.telegrams_own("webhooks")
async def test_each_start_has_a_new_secret_unless_one_is_set(
    steward: Steward, proxy: Proxy
) -> None:
    await steward.start()
    await steward.until(lambda: steward.telegram.webhook)
    first = _secret(steward)
    await steward.restart()
    await steward.until(lambda: _secret(steward) != first)
    given = "a-secret-that-the-owner-has-made-up"
    await steward.restart(TELEGRAM_WEBHOOK_SECRET=given)
    await steward.until(lambda: _secret(steward) == given)
    assert proxy.answers == []


@pytest.mark.telegrams_own("webhooks")
async def test_back_to_polling_the_webhook_is_deleted_and_nothing_is_lost(
    steward: Steward, proxy: Proxy
) -> None:
    steward.foreseen.append("webhook is active")
    await steward.start()
    await steward.until(lambda: steward.telegram.webhook)
    await steward.stop()
    steward.say("Hello")
    del steward.settings["TELEGRAM_WEBHOOK_URL"]
    steward.script(text("Polled."))
    await steward.start()
    await steward.sees("Polled.")
    assert steward.telegram.webhook is None
    assert len(steward.telegram.calls_of("deleteWebhook")) == 1
    assert WEBHOOK_SET in steward.output
    assert proxy.answers == []


@pytest.mark.telegrams_own("webhooks")
async def test_a_port_in_use_is_one_sentence_and_code_2(steward: Steward) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        steward.settings |= {
            "TELEGRAM_WEBHOOK_URL": f"{ORIGIN}/hook",
            "STEWARD_WEBHOOK_PORT": str(taken.getsockname()[1]),
        }
        process = await steward.launched("run")
        assert await process.wait() == 2
    assert "STEWARD_WEBHOOK_PORT" in steward.output.splitlines()[-1]


@pytest.mark.telegrams_own("webhooks")
async def test_the_doctor_tells_that_telegram_does_not_reach_us(
    steward: Steward, proxy: Proxy
) -> None:
    await steward.start()
    await steward.until(lambda: steward.telegram.webhook)
    await steward.stop()
    steward.say("Hello?")
    await steward.telegram.wait_for(lambda: steward.telegram.courier.failures.at)
    doctor = await steward.launched("doctor")
    assert await doctor.wait() == 1
    assert "Telegram could not deliver" in steward.output
    assert "1 updates wait" in steward.output
    assert f"127.0.0.1:{steward.settings['STEWARD_WEBHOOK_PORT']}" in steward.output
    assert proxy.answers == []
