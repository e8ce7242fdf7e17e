"""What every model does, whoever stands behind it."""

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from bot.adapters.anthropic.model import AnthropicModel
from bot.adapters.demo_model.model import DemoModel
from bot.adapters.openai.model import OpenAIModel
from bot.domain.money.model import FinishReason
from bot.domain.money.provider import ProviderSpec
from bot.domain.tools.tool import Effect, Replay, ToolSpec
from bot.domain.turn.transcript import CallPart, TextPart
from bot.domain.turn.view import (
    ModelReply,
    ModelRequest,
    ResultPart,
    TextDelta,
    ViewMessage,
)
from bot.ports.model import Model
from tests.fakes.model import ScriptedModel, call, calls, says
from tests.standins import chat_completions, messages_api
from tests.standins.chat_completions import ChatCompletions, ModelLimits
from tests.standins.messages_api import MessagesApi
from tests.standins.serving import serving

CLOCK = ToolSpec(
    "current_time",
    "Tells the time.",
    {"type": "object", "properties": {}},
    Effect.READ,
    Replay.SAFE,
)


@pytest.fixture(params=["fake", "demo", "anthropic", "openai"])
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Model]:
    """A model that answers twice: first it calls the clock, then it speaks of what it got."""
    match request.param:
        case "fake":
            with ScriptedModel(calls(call("c1", "current_time")), says("It is\nnoon.")) as fake:
                yield fake
        case "demo":
            yield DemoModel()
        case "openai":
            server = ChatCompletions(
                chat_completions.calls(chat_completions.tool("current_time", {})),
                chat_completions.text("It is noon.").in_pieces(3),
                limits={"claude-sonnet-5-5": ModelLimits("claude-sonnet-5-5")},
            )
            async with serving(server.app) as url:
                spec = ProviderSpec("local", f"{url}/v1", "test-key")
                async with OpenAIModel(spec) as other:
                    yield other
            server.assert_exhausted()
            assert not server.refusals
        case _:
            api = MessagesApi(
                messages_api.calls(messages_api.tool("current_time", {})),
                messages_api.text("It is noon.").in_pieces(3),
            )
            async with (
                serving(api.app) as url,
                AnthropicModel(ProviderSpec("anthropic", url, "test-key")) as real,
            ):
                yield real
            api.assert_exhausted()
            assert not api.refusals


async def test_a_call_and_its_result_lead_to_an_answer(model: Model) -> None:
    asked = _request(model, ViewMessage("user", (TextPart("What time is it?"),)))
    first = await _reply(model, asked)
    (called,) = [part.call for part in first.parts if isinstance(part, CallPart)]
    assert (first.finish, called.name, called.arguments) == (
        FinishReason.CALLS,
        "current_time",
        {},
    )

    answered = _request(
        model,
        *asked.messages,
        ViewMessage("assistant", first.parts),
        ViewMessage("user", (ResultPart(called.id, "12:00", is_error=False),)),
    )
    second = await _reply(model, answered)
    assert second.finish is FinishReason.END
    assert any(isinstance(part, TextPart) and part.text.strip() for part in second.parts)


async def _reply(model: Model, request: ModelRequest) -> ModelReply:
    """The reply, after what must hold of every stream: words first, then one reply with them."""
    async with aclosing(model.reply(request)) as stream:
        events = [event async for event in stream]
    *deltas, reply = events
    assert isinstance(reply, ModelReply)
    words = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    assert words == "".join(part.text for part in reply.parts if isinstance(part, TextPart))
    assert len(deltas) > 1 or reply.finish is FinishReason.CALLS
    assert reply.answered_model
    return reply


def _request(model: Model, *messages: ViewMessage) -> ModelRequest:
    profile = model.profile("claude-sonnet-5-5")
    assert profile.window > profile.max_output > 0
    return ModelRequest(profile, "You are brief.", (CLOCK,), messages)
