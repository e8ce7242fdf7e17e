"""Webhooks: called with the secret, one update a chat at a time, again until they answer 2xx."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import pytest
import telegram
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram.error import BadRequest

from tests.patience import PATIENCE
from tests.standins.bot_api import BotApi, Person
from tests.standins.serving import serving

URL = "https://example.org/hook"


class Hook:
    """What a bot's server saw; `statuses` are its next answers, 200 when there are none."""

    def __init__(self) -> None:
        self.bodies: list[dict[str, object]] = []
        self.secrets: list[str | None] = []
        self.statuses: list[int] = []
        self.held = asyncio.Event()
        self.held.set()
        self.app = Starlette(routes=[Route("/hook", self.take, methods=["POST"])])

    async def take(self, request: Request) -> Response:
        self.bodies.append(json.loads(await request.body()))
        self.secrets.append(request.headers.get("X-Telegram-Bot-Api-Secret-Token"))
        await self.held.wait()
        return Response(status_code=self.statuses.pop(0) if self.statuses else 200)

    @property
    def texts(self) -> list[object]:
        messages = [body["message"] for body in self.bodies]
        return [message["text"] for message in messages if isinstance(message, dict)]


@pytest.fixture
async def hook(api: BotApi) -> AsyncIterator[Hook]:
    hook = Hook()
    async with serving(hook.app) as url:
        api.route("https://example.org", url)
        yield hook


async def test_updates_that_waited_and_new_ones_are_called_in_with_the_secret(
    api: BotApi, ann: Person, bot: telegram.Bot, hook: Hook
) -> None:
    api.say(ann, "waited")
    await bot.set_webhook(URL, secret_token="word")
    api.say(ann, "new")
    await api.wait_for(lambda: not api.updates.pending)
    assert (hook.texts, hook.secrets) == (["waited", "new"], ["word", "word"])


async def test_a_call_that_fails_is_made_again_before_the_next_of_its_chat(
    api: BotApi, ann: Person, bot: telegram.Bot, hook: Hook
) -> None:
    hook.statuses = [503, 403]
    await bot.set_webhook(URL)
    api.say(ann, "one")
    api.say(ann, "two")
    await api.wait_for(lambda: not api.updates.pending)
    assert hook.texts == ["one", "one", "one", "two"]
    info = await bot.get_webhook_info()
    assert info.pending_update_count == 0
    assert info.last_error_message == "Wrong response from the webhook: 403 Forbidden"


async def test_chats_do_not_wait_for_one_another_up_to_the_number_of_connections(
    api: BotApi, bot: telegram.Bot, hook: Hook
) -> None:
    people = [api.person() for _ in range(3)]
    hook.held.clear()
    await bot.set_webhook(URL, max_connections=2)
    for person in people:
        api.private_chat(person)
        api.say(person, "one")
        api.say(person, "two")
    await _until(lambda: len(hook.bodies) == 2)
    assert hook.texts == ["one", "one"]
    hook.held.set()
    await api.wait_for(lambda: not api.updates.pending)
    assert sorted(map(str, hook.texts)) == ["one"] * 3 + ["two"] * 3


async def test_a_webhook_that_is_deleted_is_not_called_any_more(
    api: BotApi, ann: Person, bot: telegram.Bot, hook: Hook
) -> None:
    await bot.set_webhook(URL)
    await bot.delete_webhook()
    api.say(ann, "polled")
    assert len(await bot.get_updates()) == 1
    assert hook.bodies == []


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("http://example.org/hook", "word"),
        ("https://example.org:444/hook", "word"),
        ("https://example.org/hook", "two words"),
    ],
)
async def test_what_the_service_refuses_is_refused(
    bot: telegram.Bot, url: str, secret: str
) -> None:
    with pytest.raises(BadRequest):
        await bot.set_webhook(url, secret_token=secret)


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():  # the hook announces its calls to nobody
            await asyncio.sleep(0)
