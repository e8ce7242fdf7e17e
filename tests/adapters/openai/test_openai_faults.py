"""Faults of Chat Completions and of the way to it, each as the flow's own error."""

import asyncio
import json
import subprocess
import sys
import traceback

import pytest

from bot.adapters.openai.model import OpenAIModel
from bot.domain.money.model import FinishReason
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    NoSuchModel,
    PromptTooLong,
    RequestInvalid,
    SettingError,
)
from bot.domain.talk.limits import ModelTimes
from tests.adapters.openai.talk import HEADER, KEY, asking, connected, reply_to
from tests.standins.chat_completions import (
    Gate,
    Reply,
    dropped,
    failure,
    raw_events,
    silence,
    text,
)

HASTY = ModelTimes(connect_seconds=1.0, first_byte_seconds=0.1)
IMPATIENT = ModelTimes(silence_seconds=0.2)
"""Waits for the beginning of a reply, and then no longer."""


async def fault_of(reply: Reply, times: ModelTimes | None = None) -> ModelError:
    """The fault a reply leads to, which nowhere shows the key."""
    async with connected(reply, times=times) as (api, model):
        with pytest.raises(ModelError) as caught:
            await reply_to(model, asking(model))
        # Whoever gives up soon may be gone before the stand-in has read the request.
        await api.received(1)
    assert_without_secrets(caught.value)
    return caught.value


def assert_without_secrets(error: BaseException) -> None:
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    assert KEY not in shown
    assert HEADER not in shown


@pytest.mark.parametrize(
    ("status", "message", "code", "expected"),
    [
        (401, "Incorrect API key provided", "invalid_api_key", ModelDenied),
        (402, "Insufficient credits", None, ModelDenied),
        (403, "Country, region, or territory not supported", None, ModelDenied),
        (404, "The model `gpt-9` does not exist", "model_not_found", NoSuchModel),
        (404, "model 'llama9' not found, try pulling it first", None, NoSuchModel),
        (400, "gpt-9 is not a valid model ID", None, NoSuchModel),
        (400, "Invalid model: mistral-gigantic", None, NoSuchModel),
        (404, "404 page not found", None, ModelDenied),
        (408, "timeout", None, ModelUnreachable),
        (429, "Rate limit reached", "rate_limit_exceeded", ModelOverloaded),
        (429, "You exceeded your current quota", "insufficient_quota", ModelDenied),
        (500, "The server had an error", None, ModelOverloaded),
        (503, "Loading model", None, ModelOverloaded),
        (413, "Request too large", None, PromptTooLong),
        (400, "This model's maximum context length is 8 tokens", None, PromptTooLong),
        (400, "Please shorten", "context_length_exceeded", PromptTooLong),
        (400, "the request exceeds the available context size", None, PromptTooLong),
        (500, "input exceeds the context window", None, PromptTooLong),
        (400, "An assistant message with 'tool_calls' must be followed", None, RequestInvalid),
        (422, "extra_forbidden", None, RequestInvalid),
    ],
)
async def test_every_refusal_has_its_fault(
    status: int, message: str, code: str | None, expected: type[ModelError]
) -> None:
    fault = await fault_of(failure(status, f"{message} ({KEY}, {HEADER})", code=code))
    assert type(fault) is expected
    assert message in str(fault)


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, None, Trouble.KEY),
        (402, None, Trouble.CREDIT),
        (403, None, Trouble.PERMISSION),
        (429, "insufficient_quota", Trouble.CREDIT),
        (429, None, Trouble.RATE),
        (500, None, Trouble.DOWN),
        (503, None, Trouble.OVERLOADED),
    ],
)
async def test_people_are_told_the_kind_of_trouble(
    status: int, code: str | None, kind: Trouble
) -> None:
    fault = await fault_of(failure(status, "no", code=code))
    assert fault.trouble is kind
    assert getattr(fault, "setting", "") == ("LOCAL_KEY" if status == 401 else "")


async def test_other_forms_of_an_error_are_read_as_well() -> None:
    for body, words in (
        ({"detail": [{"loc": ["body"], "msg": "Field required"}]}, "Field required"),
        ({"object": "error", "message": "No such thing", "code": 400}, "No such thing"),
        ({"error": "model is required"}, "model is required"),
    ):
        event = json.dumps({"error": body.get("error", body)})
        fault = await fault_of(raw_events(event))
        assert words in str(fault)


@pytest.mark.parametrize(("status", "seconds"), [(429, 7.5), (503, 30.0), (500, None)])
async def test_the_providers_wish_to_wait_is_passed_on(status: int, seconds: float | None) -> None:
    fault = await fault_of(failure(status, retry_after=seconds))
    assert isinstance(fault, ModelOverloaded)
    assert fault.retry_after == seconds


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"message": f"Oh {KEY}", "code": 502}, ModelOverloaded),
        ({"message": "slow down", "code": 429}, ModelOverloaded),
        ({"message": "no", "code": 400}, RequestInvalid),
        ({"message": "no", "code": 403}, ModelDenied),
        ({"message": "too long", "code": "context_length_exceeded"}, PromptTooLong),
        ("overloaded", ModelOverloaded),
    ],
)
async def test_an_error_inside_the_stream_has_its_fault(
    error: object, expected: type[ModelError]
) -> None:
    said = text("Half an").with_event(json.dumps({"error": error}), after=2)
    assert type(await fault_of(said)) is expected


async def test_output_spent_on_reasoning_is_a_cut_reply_and_no_fault() -> None:
    told = "Could not finish the message because max_tokens or model output limit was reached."
    async with connected(failure(400, told)) as (_, model):
        _, reply = await reply_to(model, asking(model))
    assert (reply.parts, reply.finish) == ((), FinishReason.LENGTH)


@pytest.mark.parametrize("reply", [dropped(), *(text("Hi.").dropped(after=n) for n in range(1, 3))])
async def test_a_cut_connection_is_unreachable_wherever_it_is_cut(reply: Reply) -> None:
    assert isinstance(await fault_of(reply), ModelUnreachable)


async def test_a_connection_cut_after_the_reply_ended_loses_nothing() -> None:
    async with connected(text("Hi.").dropped(after=5)) as (_, model):
        pieces, _ = await reply_to(model, asking(model))
    assert pieces == ["Hi."]


async def test_silence_before_the_first_byte_ends() -> None:
    fault = await fault_of(silence(), HASTY)
    assert isinstance(fault, ModelUnreachable)
    assert "no answer for 1.1 s" in str(fault)


async def test_silence_within_a_reply_ends() -> None:
    fault = await fault_of(text("Hi.").held(Gate(), after=2), IMPATIENT)
    assert "the stream was silent for 0.2 s" in str(fault)


async def test_a_call_that_never_ends_is_ended() -> None:
    times = ModelTimes(call_seconds=0.3, silence_seconds=5)
    said = text("Never ending. " * 100).in_pieces(100, pause=0.02)
    assert "more than 0.3 s" in str(await fault_of(said, times))


async def test_a_reader_who_takes_long_costs_the_provider_nothing() -> None:
    times = ModelTimes(silence_seconds=0.2)
    async with connected(text("A b c.").in_pieces(3), times=times) as (_, model):
        stream = model.reply(asking(model))
        async for _ in stream:
            await asyncio.sleep(0.3)
        await stream.aclose()


async def test_nothing_is_tried_again_by_the_sdk() -> None:
    async with connected(failure(500)) as (api, model):
        with pytest.raises(ModelOverloaded):
            await reply_to(model, asking(model))
    assert len(api.requests) == 1


async def test_a_connection_serves_one_reply_after_another() -> None:
    async with connected(*(text("Hi.") for _ in range(3))) as (api, model):
        for _ in range(3):
            await reply_to(model, asking(model))
    assert len(api.requests) == 3


async def test_an_address_where_nobody_is_cannot_be_reached() -> None:
    spec = ProviderSpec("local", "http://127.0.0.1:1/v1")
    async with OpenAIModel(spec) as model:
        with pytest.raises(ModelUnreachable):
            await reply_to(model, asking(model))


async def test_an_address_that_is_none_is_denied() -> None:
    async with OpenAIModel(ProviderSpec("local", "http://[::1")) as model:
        with pytest.raises(ModelDenied):
            await reply_to(model, asking(model))


async def test_the_check_tells_keys_and_models_apart() -> None:
    async with connected() as (_, model):
        await model.check("qwen-local")
        with pytest.raises(NoSuchModel):
            await model.check("qwen-nowhere")


def test_a_key_with_odd_characters_is_refused_by_name() -> None:
    with pytest.raises(SettingError, match="LOCAL_KEY"):
        OpenAIModel(ProviderSpec("local", "http://x", "ké", key_name="LOCAL_KEY"))


def test_the_sdk_is_not_loaded_before_the_first_call() -> None:
    told = "import sys; import bot.adapters.openai.model; print('openai' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
