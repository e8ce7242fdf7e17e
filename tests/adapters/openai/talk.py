"""Talking to the stand-in through the adapter."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

from bot.adapters.openai.model import OpenAIModel
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.traits import Traits
from bot.domain.talk.limits import ModelTimes
from bot.domain.tools.tool import Effect, Replay, ToolSpec
from bot.domain.turn.transcript import TextPart
from bot.domain.turn.view import ModelReply, ModelRequest, TextDelta, ViewMessage
from tests.standins.chat_completions import ChatCompletions, Reply
from tests.standins.serving import serving

KEY = "sk-canary-0123456789"
HEADER = "a-header-that-is-a-secret"

RUN = ToolSpec(
    "run_command",
    "Runs a command.",
    {"type": "object", "properties": {"command": {"type": "string"}}},
    Effect.WRITE,
    Replay.ONCE,
)


def spec_of(url: str, **changes: Any) -> ProviderSpec:
    """The way to a stand-in, which is called “local”."""
    given = {
        "name": "local",
        "base_url": f"{url}/v1",
        "key": KEY,
        "key_name": "LOCAL_KEY",
        "headers": (("X-Pass", HEADER),),
        "secrets": (KEY, HEADER),
    }
    return ProviderSpec(**(given | changes))


@asynccontextmanager
async def connected(
    *replies: Reply,
    times: ModelTimes | None = None,
    traits: Traits | None = None,
    listed: Any = None,
    **changes: Any,
) -> AsyncIterator[tuple[ChatCompletions, OpenAIModel]]:
    """The stand-in with these replies, all of which must be used, and none refused."""
    given = {} if listed is None else {"listed": listed}
    api = ChatCompletions(*replies, api_key=KEY, **given)
    known = {"local/qwen-local": traits} if traits is not None else {}
    async with serving(api.app) as url:
        spec = spec_of(url, **changes)
        async with OpenAIModel(spec, times=times, traits=known) as model:
            yield api, model
    api.assert_exhausted()
    assert not api.refusals


def user(words: str) -> ViewMessage:
    return ViewMessage("user", (TextPart(words),))


def asking(
    model: OpenAIModel, *messages: ViewMessage, name: str = "qwen-local", **more: Any
) -> ModelRequest:
    """A request with these messages, or with a plain one."""
    said = messages or (user("Go on."),)
    return ModelRequest(model.profile(name), "You are brief.", (RUN,), said, **more)


async def reply_to(model: OpenAIModel, request: ModelRequest) -> tuple[list[str], ModelReply]:
    """The pieces of text as they streamed, and the reply they ended in."""
    async with aclosing(model.reply(request)) as stream:
        events = [event async for event in stream]
    reply = events[-1]
    assert isinstance(reply, ModelReply)
    return [event.text for event in events if isinstance(event, TextDelta)], reply
