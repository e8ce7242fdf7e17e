"""The way to Telegram by the proxy of the environment."""

import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from bot.adapters.telegram.account import TelegramAccount
from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ChannelUnreachable
from tests.ports import free_port
from tests.standins.bot_api import TOKEN
from tests.standins.serving import serving

AWAY = "http://telegram.invalid"
BOT = {"id": 7, "is_bot": True, "first_name": "Steward", "username": "steward_bot"}


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


async def test_a_proxy_is_asked_with_its_login(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        asked.append(dict(scope["headers"])[b"proxy-authorization"])
        await JSONResponse({"ok": True, "result": BOT})(scope, receive, send)

    async with serving(app) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.replace("//", "//ann:secret@"))
        async with TelegramApi(TOKEN, AWAY) as api:
            assert (await TelegramAccount(api).identity()).user_id == "7"
    assert asked == [b"Basic YW5uOnNlY3JldA=="]


async def test_a_proxy_that_is_not_there_was_asked_for_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    async with TelegramApi(TOKEN, AWAY) as api:
        with pytest.raises(ChannelUnreachable) as found:
            await TelegramAccount(api).identity()
    assert not found.value.maybe_done
