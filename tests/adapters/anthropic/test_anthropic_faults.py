"""Faults of the Messages API and of the way to it, each as the flow's own error."""

import asyncio
import subprocess
import sys
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.adapters.anthropic.model import AnthropicModel
from bot.domain.money.model import FinishReason
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    NoSuchModel,
    PromptTooLong,
    RequestInvalid,
    SettingError,
    SpoiltThinking,
)
from bot.domain.talk.limits import ModelTimes
from bot.domain.turn.transcript import ThinkingPart
from bot.domain.turn.view import ViewMessage
from tests.adapters.anthropic.talk import KEY, access, asking, connected, reply_to, user
from tests.patience import PATIENCE
from tests.standins.messages_api import (
    PROFILES,
    Gate,
    MessagesApi,
    Reply,
    dropped,
    failure,
    silence,
    text,
)
from tests.standins.serving import serving

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
    assert_without_key(caught.value)
    return caught.value


def assert_without_key(error: BaseException) -> None:
    shown = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    assert KEY not in shown


@pytest.mark.parametrize(
    ("status", "message", "expected"),
    [
        (401, "invalid x-api-key", ModelDenied),
        (402, "billing", ModelDenied),
        (403, "Your account may not use this", ModelDenied),
        (404, "model: claude-nonesuch", NoSuchModel),
        (400, "Your credit balance is too low to access the API", ModelDenied),
        (408, "timeout", ModelUnreachable),
        (429, "slow down", ModelOverloaded),
        (500, "Internal server error", ModelOverloaded),
        (503, "unavailable", ModelOverloaded),
        (529, "Overloaded", ModelOverloaded),
        (413, "Request exceeds the maximum size", PromptTooLong),
        (400, "prompt is too long: 200001 tokens > 200000 maximum", PromptTooLong),
        (400, "input length and `max_tokens` exceed context limit: 1 + 2 > 3", PromptTooLong),
        (400, "messages.1.content.0: Invalid `signature` in `thinking` block", SpoiltThinking),
        (
            400,
            "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest "
            "assistant message cannot be modified.",
            SpoiltThinking,
        ),
        (400, "The block is bound to a different conversation.", SpoiltThinking),
        (400, "messages: text content blocks must be non-empty", RequestInvalid),
        (422, "unprocessable", RequestInvalid),
    ],
)
async def test_every_refusal_has_its_fault(
    status: int, message: str, expected: type[ModelError]
) -> None:
    fault = await fault_of(failure(status, f"{message} ({KEY})"))
    assert type(fault) is expected
    assert message in str(fault)


@pytest.mark.parametrize(("status", "seconds"), [(429, 7.5), (529, 30.0), (503, None)])
async def test_the_providers_wish_to_wait_is_passed_on(status: int, seconds: float | None) -> None:
    fault = await fault_of(failure(status, retry_after=seconds))
    assert isinstance(fault, ModelOverloaded)
    assert fault.retry_after == seconds


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("overloaded_error", ModelOverloaded),
        ("api_error", ModelOverloaded),
        ("rate_limit_error", ModelOverloaded),
        ("invalid_request_error", RequestInvalid),
        ("permission_error", ModelDenied),
        ("an_error_of_tomorrow", ModelOverloaded),
    ],
)
async def test_an_error_inside_the_stream_has_its_fault(
    kind: str, expected: type[ModelError]
) -> None:
    fault = await fault_of(text("Half an").failing(after=3, kind=kind, message=f"Oh {KEY}"))
    assert type(fault) is expected


@pytest.mark.parametrize("reply", [dropped(), *(text("Hi.").dropped(after=n) for n in range(1, 6))])
async def test_a_cut_connection_is_unreachable_wherever_it_is_cut(reply: Reply) -> None:
    assert isinstance(await fault_of(reply), ModelUnreachable)


async def test_a_connection_cut_after_the_reply_ended_loses_nothing() -> None:
    async with connected(text("Hi.").dropped(after=6)) as (_, model):
        assert (await reply_to(model, asking(model)))[1].finish is FinishReason.END


async def test_a_provider_that_never_answers_is_unreachable() -> None:
    fault = await fault_of(silence(), HASTY)
    assert isinstance(fault, ModelUnreachable)
    assert "no answer" in str(fault)


@pytest.mark.parametrize("after", [0, 1, 3])
async def test_a_stream_that_falls_silent_is_unreachable(after: int) -> None:
    fault = await fault_of(text("Hi.").held(Gate(), after=after), IMPATIENT)
    assert isinstance(fault, ModelUnreachable)
    assert "silent" in str(fault)


async def test_a_call_ends_in_time_although_the_stream_goes_on() -> None:
    endless = text("word " * 200).in_pieces(1000, pause=0.01)
    fault = await fault_of(endless, ModelTimes(silence_seconds=5.0, call_seconds=0.3))
    assert isinstance(fault, ModelUnreachable)
    assert "0.3 s" in str(fault)


async def test_a_port_where_nobody_listens_is_unreachable() -> None:
    async with serving(MessagesApi().app) as url:
        pass
    async with AnthropicModel(access(url)) as model:
        with pytest.raises(ModelUnreachable) as caught:
            await reply_to(model, asking(model))
    assert_without_key(caught.value)


@pytest.mark.parametrize("ending", ["cancel", "close"])
async def test_whoever_stops_reading_frees_the_connection(ending: str) -> None:
    gate = Gate()
    async with connected(text("Hi.").held(gate, after=3)) as (_, model):
        stream = model.reply(asking(model))
        await anext(stream)
        if ending == "cancel":
            waiting = asyncio.ensure_future(anext(stream))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        else:
            await stream.aclose()
        async with asyncio.timeout(PATIENCE):
            await gate.abandoned()


async def test_a_spoilt_history_is_told_apart_by_the_strict_stand_in() -> None:
    api = MessagesApi(text("never"), api_key=KEY)
    forged = ThinkingPart({"type": "thinking", "thinking": "Hm.", "signature": "forged"})
    async with (
        serving(api.app) as url,
        AnthropicModel(access(url)) as model,
    ):
        request = asking(model, user("a"), ViewMessage("assistant", (forged,)), user("b"))
        with pytest.raises(SpoiltThinking):
            await reply_to(model, request)


@asynccontextmanager
async def odd_provider(answer: Response, seen: list[Request]) -> AsyncIterator[AnthropicModel]:
    """A model behind a server that answers everything alike."""

    async def endpoint(request: Request) -> Response:
        seen.append(request)
        return answer

    app = Starlette(routes=[Route("/{path:path}", endpoint, methods=["GET", "POST"])])
    async with serving(app) as url, AnthropicModel(access(url)) as model:
        yield model


def events(*data: str) -> Response:
    body = "".join(f"event: whatever\ndata: {each}\n\n" for each in data)
    return Response(body, media_type="text/event-stream")


START = '{"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}}'


@pytest.mark.parametrize(
    "answer",
    [
        PlainTextResponse("<html>Welcome</html>"),
        Response(b"\xff\xfe\n\n", media_type="text/event-stream"),
        events(START),
        events(START, '{"type": "message_stop"'),
        events("[]"),
        events("{}"),
        events('{"type": "message_start", "message": null}'),
        events('{"type": "content_block_start", "index": 0, "content_block": "text"}'),
        events('{"type": "content_block_start", "index": 0, "content_block": {"type": 7}}'),
        events('{"type": "content_block_delta", "index": 4, "delta": {"type": "text_delta"}}'),
        events("[" * 100_000),
        events(
            '{"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}',
            '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": 7}'
            "}",
        ),
    ],
)
async def test_an_answer_that_is_no_reply_is_unreachable(answer: Response) -> None:
    async with odd_provider(answer, []) as model:
        with pytest.raises(ModelUnreachable) as caught:
            await reply_to(model, asking(model))
    assert_without_key(caught.value)


@pytest.mark.parametrize(
    "data", ["Overloaded", "[]", '{"error": "x"}', '{"error": {"type": null}}']
)
async def test_an_error_event_that_cannot_be_read_is_overloaded(data: str) -> None:
    answer = Response(f"event: error\ndata: {data}\n\n", media_type="text/event-stream")
    async with odd_provider(answer, []) as model:
        with pytest.raises(ModelOverloaded):
            await reply_to(model, asking(model))


async def test_a_base_url_that_is_none_is_denied() -> None:
    async with AnthropicModel(access("http://host:port")) as model:
        with pytest.raises(ModelDenied):
            await model.warm()


async def test_a_gateways_error_page_is_overloaded_and_short() -> None:
    page = PlainTextResponse(f"<html>{KEY} Bad gateway {'x' * 5000}</html>", 502)
    seen: list[Request] = []
    async with odd_provider(page, seen) as model:
        with pytest.raises(ModelOverloaded) as caught:
            await reply_to(model, asking(model))
    assert len(seen) == 1
    assert len(str(caught.value)) < 500
    assert_without_key(caught.value)


@pytest.mark.parametrize("key", ["", f"{KEY}\n", f"“{KEY}”", f"{KEY} {KEY}"])
def test_a_key_that_cannot_be_one_is_a_wrong_setting(key: str) -> None:
    with pytest.raises(SettingError) as caught:
        AnthropicModel(access(key=key))
    assert_without_key(caught.value)


async def test_the_check_passes_for_a_known_model_and_a_good_key() -> None:
    async with connected() as (_, model):
        await model.check("claude-sonnet-5-5")


@pytest.mark.parametrize(
    ("key", "name"), [("wrong", "claude-sonnet-5-5"), (KEY, "claude-nonesuch"), (KEY, "a/../b ?")]
)
async def test_the_check_tells_a_wrong_key_and_a_wrong_model(key: str, name: str) -> None:
    api = MessagesApi(api_key=KEY)
    async with (
        serving(api.app) as url,
        AnthropicModel(access(url, key)) as model,
    ):
        with pytest.raises(ModelDenied):
            await model.check(name)


async def test_the_list_of_models_is_read_page_by_page() -> None:
    async with connected() as (api, model):
        api.most_listed = 2
        names = await model.models()
    assert list(names) == list(PROFILES)
    assert len(names) > 2, "more than one page"


async def test_calls_at_once_share_one_client_and_one_loading() -> None:
    async with connected(*(text("Hi.") for _ in range(8))) as (_, model):
        await asyncio.gather(model.warm(), *(reply_to(model, asking(model)) for _ in range(8)))


async def test_a_connection_is_used_again_for_the_next_call() -> None:
    api = MessagesApi(text("one"), text("two"), api_key=KEY)
    clients: list[object] = []

    async def watched(scope: Scope, receive: Receive, send: Send) -> None:
        clients.append(scope["client"])
        await api.app(scope, receive, send)

    async with (
        serving(watched) as url,
        AnthropicModel(access(url)) as model,
    ):
        for _ in range(2):
            await reply_to(model, asking(model))
    assert len(clients) == 2
    assert clients[0] == clients[1]


def test_the_sdk_is_not_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, bot.adapters.anthropic.model as m, bot.domain.money.provider as p;"
        "m.AnthropicModel(p.ProviderSpec('anthropic', '', 'key'));"
        "sys.exit('anthropic' in sys.modules or 'httpx2' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=PATIENCE)
