"""Talking to the stand-in through the adapter."""

from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from bot.adapters.anthropic.model import AnthropicModel
from bot.domain.money.provider import ANTHROPIC, ANTHROPIC_URL, ProviderSpec
from bot.domain.talk.limits import ModelTimes
from bot.domain.tools.tool import Effect, Replay, ToolSpec
from bot.domain.turn.transcript import TextPart
from bot.domain.turn.view import ModelReply, ModelRequest, TextDelta, ViewMessage
from tests.standins.messages_api import MessagesApi, Reply
from tests.standins.serving import serving

KEY = "sk-ant-canary-0123456789"

RUN = ToolSpec(
    "run_command",
    "Runs a command.",
    {"type": "object", "properties": {"command": {"type": "string"}}},
    Effect.WRITE,
    Replay.ONCE,
)


def access(url: str = ANTHROPIC_URL, key: str = KEY) -> ProviderSpec:
    """Returns the way to Claude."""
    return ProviderSpec(ANTHROPIC, url, key, key_name="ANTHROPIC_API_KEY")


@asynccontextmanager
async def connected(
    *replies: Reply, times: ModelTimes | None = None
) -> AsyncIterator[tuple[MessagesApi, AnthropicModel]]:
    """The stand-in with these replies, all of which must be used, and none refused."""
    api = MessagesApi(*replies, api_key=KEY)
    async with (
        serving(api.app) as url,
        AnthropicModel(access(url), times=times) as model,
    ):
        yield api, model
    api.assert_exhausted()
    assert not api.refusals


def user(words: str) -> ViewMessage:
    return ViewMessage("user", (TextPart(words),))


def asking(model: AnthropicModel, *messages: ViewMessage, words: str = "Go on.") -> ModelRequest:
    """A request with these messages, or with these words alone."""
    profile = model.profile("claude-sonnet-5-5")
    return ModelRequest(profile, "You are brief.", (RUN,), messages or (user(words),))


async def reply_to(model: AnthropicModel, request: ModelRequest) -> tuple[list[str], ModelReply]:
    """The pieces of text as they streamed, and the reply they ended in."""
    async with aclosing(model.reply(request)) as stream:
        events = [event async for event in stream]
    reply = events[-1]
    assert isinstance(reply, ModelReply)
    return [event.text for event in events if isinstance(event, TextDelta)], reply
