"""A served Bot API and an open line to it."""

from collections.abc import AsyncIterator

import pytest

from bot.adapters.telegram.api import TelegramApi
from tests.standins.bot_api import BotApi, Person
from tests.standins.serving import serving


@pytest.fixture
def server() -> BotApi:
    return BotApi()


@pytest.fixture
async def url(server: BotApi) -> AsyncIterator[str]:
    async with serving(server.app) as address:
        yield address


@pytest.fixture
async def api(server: BotApi, url: str) -> AsyncIterator[TelegramApi]:
    async with TelegramApi(server.token, url, send_seconds=5.0) as opened:
        yield opened


@pytest.fixture
def ann(server: BotApi) -> Person:
    return server.person()
