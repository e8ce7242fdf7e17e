"""A stand-in with one bot and one person, served for each test."""

from collections.abc import AsyncIterator

import httpx
import pytest
import telegram
from telegram.request import HTTPXRequest

from tests.standins.bot_api import TOKEN, BotApi, Person
from tests.standins.serving import serving


@pytest.fixture
def api() -> BotApi:
    return BotApi()


@pytest.fixture
async def base_url(api: BotApi) -> AsyncIterator[str]:
    async with serving(api.app) as url:
        yield url


@pytest.fixture
async def bot(base_url: str) -> AsyncIterator[telegram.Bot]:
    # Plain HTTP only: loading certificates for every client would be most of a test's time.
    plain = {"verify": False}
    async with telegram.Bot(
        TOKEN,
        base_url=f"{base_url}/bot",
        base_file_url=f"{base_url}/file/bot",
        request=HTTPXRequest(connection_pool_size=8, httpx_kwargs=plain),
        get_updates_request=HTTPXRequest(httpx_kwargs=plain),
    ) as bot:
        yield bot


@pytest.fixture
async def raw(base_url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{base_url}/bot{TOKEN}/", verify=False) as client:
        yield client


@pytest.fixture
def ann(api: BotApi) -> Person:
    ann = api.person(42, "Ann", username="ann")
    api.private_chat(ann)
    return ann
