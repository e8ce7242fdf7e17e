"""Searches of OpenAI itself: requests to the Responses API, its streams and its refusals."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest
from openai import AsyncOpenAI

from bot.adapters.openai.model import OpenAIModel
from bot.domain.money.model import FinishReason, ModelProfile
from bot.domain.money.provider import ProviderSpec
from bot.domain.money.trouble import Trouble
from bot.domain.talk.errors import (
    ModelDenied,
    ModelError,
    ModelOverloaded,
    ModelUnreachable,
    RequestInvalid,
    SpoiltThinking,
)
from bot.domain.tools.tool import ToolCall, ToolSpec
from bot.domain.turn.transcript import CallPart, ForeignPart, ImagePart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart, ViewMessage
from tests.adapters.openai.talk import KEY, RUN, reply_to, user
from tests.standins import chat_completions
from tests.standins.messages_api.wire import Json
from tests.standins.responses_api import (
    Reply,
    ResponsesApi,
    call,
    cut,
    failed,
    failure,
    look,
    raw_events,
    reasoning,
    refusing,
    says,
)
from tests.standins.serving import serving

SEARCH = replace(RUN, name="web_search", hosted=frozenset({"openai"}))
SHIPS = "https://ships.example/"
REASONS = ModelProfile("openai", "gpt-5.1", 200_000, 8_000, thinks=True)
PLAIN = replace(REASONS, name="gpt-4.1", thinks=False)


def asking(
    *messages: ViewMessage,
    profile: ModelProfile = REASONS,
    tools: tuple[ToolSpec, ...] = (RUN, SEARCH),
    **more: Any,
) -> ModelRequest:
    return ModelRequest(profile, "Be brief.", tools, messages or (user("Hi"),), **more)


@asynccontextmanager
async def connected(*replies: Reply) -> AsyncIterator[tuple[ResponsesApi, OpenAIModel]]:
    """The stand-in with these replies, all of which must be used."""
    api = ResponsesApi(*replies, api_key=KEY)
    async with serving(api.app) as url:
        spec = ProviderSpec("openai", f"{url}/v1", KEY, key_name="OPENAI_API_KEY", trusted=True)
        async with OpenAIModel(spec) as model:
            yield api, model
    api.assert_exhausted()


async def only_reply(*replies: Reply, **more: Any) -> ModelReply:
    async with connected(*replies) as (_, model):
        return (await reply_to(model, asking(**more)))[1]


async def test_a_reply_that_searched_is_kept_foreign_counted_and_streamed() -> None:
    found = look("ferry", "ferry times", sources=(SHIPS,)) + look(opened=f"{SHIPS}9")
    async with connected(reasoning() + found + says("At nine, says it.", f"{SHIPS}9")) as (api, m):
        words, reply = await reply_to(m, asking())
    assert "".join(words) == "At nine, says it."
    assert len(words) > 1
    sealed, searched, opened, said = reply.parts
    assert isinstance(sealed, ThinkingPart)
    assert isinstance(searched, ForeignPart)
    assert isinstance(opened, ForeignPart)
    assert said == TextPart("At nine, says it.")
    assert searched.untrusted == opened.untrusted == "a web search by OpenAI"
    assert searched.text == f"{SHIPS}\n{SHIPS}9"
    assert reply.usage.searches == 2
    assert reply.usage.input
    assert reply.finish is FinishReason.END
    assert reply.answered_model == "gpt-5.1-2026-11-01"
    (body,) = api.bodies
    assert body["tools"][1] == {"type": "web_search"}
    assert body["store"] is False
    assert body["max_tool_calls"] == 5
    assert body["max_output_tokens"] == 8_000


async def test_what_was_answered_goes_back_as_the_service_takes_it() -> None:
    first = reasoning("gAAAA-1") + look("ships") + call("run_command", {"command": "ls"})
    async with connected(first, says("Done."), says("Again.")) as (api, model):
        _, reply = await reply_to(model, asking())
        (id,) = [part.call.id for part in reply.parts if isinstance(part, CallPart)]
        photo = ImagePart("image/png", "aW1n")
        result = ResultPart(id, "", is_error=True)
        heard = ViewMessage("user", (photo, result, TextPart("And this?")))
        talk = (user("Hi"), ViewMessage("assistant", reply.parts), heard)
        await reply_to(model, asking(*talk, calls_allowed=False))
        # Without its reasoning, as after a cut, the rest still goes back.
        cut_off = tuple(part for part in reply.parts if not isinstance(part, ThinkingPart))
        await reply_to(model, asking(user("Hi"), ViewMessage("assistant", cut_off), heard))
    assert api.refusals == []
    _, second, third = api.bodies
    kinds = [item["type"] for item in second["input"]]
    assert kinds == [
        "message",
        "reasoning",
        "web_search_call",
        "function_call",
        "function_call_output",
        "message",
    ]
    assert second["tool_choice"] == "none"
    assert second["input"][4]["output"] == "[failed] [no output]"
    assert [part["type"] for part in second["input"][5]["content"]] == ["input_image", "input_text"]
    assert [item["type"] for item in third["input"]] == [kinds[0], *kinds[3:]]


async def test_a_model_that_does_not_reason_is_not_asked_for_it_and_switches_back_to_chat() -> None:
    async with connected(look("ships", sources=(SHIPS,)) + says("Ships.")) as (api, model):
        _, reply = await reply_to(model, asking(profile=PLAIN))
        assert reply.usage.searches == 1
        # The search was switched off: the same history goes to Chat Completions.
        api.chat.add(chat_completions.text("Still here."))
        said = ViewMessage("assistant", (ThinkingPart({"type": "reasoning"}), *reply.parts))
        later = asking(user("Hi"), said, user("And?"), profile=PLAIN, tools=(RUN,))
        _, other = await reply_to(model, later)
    assert other.parts == (TextPart("Still here."),)
    assert api.refusals == api.chat.refusals == []
    assert "web_search" not in json.dumps(api.chat.requests[0].body)


@pytest.mark.parametrize(
    ("reply", "finish", "kinds"),
    [
        (call("run_command", {"command": "ls"}), FinishReason.CALLS, [CallPart]),
        (refusing("I cannot."), FinishReason.REFUSAL, []),
        (cut(says("Half a")), FinishReason.LENGTH, [TextPart]),
        (cut(says("Bad"), "content_filter"), FinishReason.REFUSAL, [TextPart]),
        (cut(says("Odd"), "something_new"), FinishReason.UNKNOWN, [TextPart]),
        (cut(look("ships")), FinishReason.LENGTH, []),
        (Reply(), FinishReason.END, []),
    ],
)
async def test_each_end_has_its_reason(
    reply: Reply, finish: FinishReason, kinds: list[Any]
) -> None:
    told = await only_reply(reply)
    assert told.finish is finish
    assert [type(part) for part in told.parts] == kinds


async def test_a_search_that_was_cut_is_paid_and_one_that_failed_brings_no_foreign_text() -> None:
    assert (await only_reply(cut(look("ships")))).usage.searches == 1
    item = {**look("ships").items[0], "status": "failed"}
    told = await only_reply(Reply((item,)) + says("Nothing."))
    (part, _) = told.parts
    assert isinstance(part, ForeignPart)
    assert part.untrusted is None


async def test_a_call_that_was_cut_never_runs() -> None:
    told = await only_reply(cut(call("run_command", "")))
    (part,) = told.parts
    assert isinstance(part, CallPart)
    assert part.call.arguments is None


async def test_a_used_id_is_replaced() -> None:
    talk = (
        ViewMessage("assistant", (CallPart(ToolCall("call_1", "run_command", "{}", {})),)),
        ViewMessage("user", (ResultPart("call_1", "ok", is_error=False),)),
    )
    again = call("run_command", {})
    async with connected(again) as (_, model):
        _, reply = await reply_to(model, asking(user("Hi"), *talk))
    (part,) = reply.parts
    assert isinstance(part, CallPart)
    assert part.call.id != "call_1"


@pytest.mark.parametrize(
    ("reply", "fault"),
    [
        (failure(401), ModelDenied),
        (failure(429), ModelOverloaded),
        (failure(500), ModelOverloaded),
        (failed("server_error"), ModelOverloaded),
        (failed("rate_limit_exceeded"), ModelOverloaded),
        (failed("invalid_prompt"), RequestInvalid),
        (raw_events('{"type":"error","code":"server_error","message":"No."}'), ModelOverloaded),
        (raw_events('{"type":"response.created","response":{}}'), ModelUnreachable),
        (raw_events('{"type":"response.output_text.delta"}'), ModelUnreachable),
        (raw_events('{"type":"response.completed","response":{"output":[7]}}'), ModelUnreachable),
        (raw_events('{"type":"response.completed","response":7}'), ModelUnreachable),
        (says("A long enough answer").dropped(after=4), ModelUnreachable),
    ],
)
async def test_every_fault_is_told_as_one(reply: Reply, fault: type[ModelError]) -> None:
    async with connected(reply) as (_, model):
        with pytest.raises(fault) as told:
            await reply_to(model, asking())
    assert KEY not in str(told.value)


async def test_an_account_without_money_is_told_as_such() -> None:
    empty = failure(429, "You exceeded your current quota.", code="insufficient_quota")
    async with connected(empty) as (_, model):
        with pytest.raises(ModelDenied) as told:
            await reply_to(model, asking())
    assert told.value.trouble is Trouble.CREDIT


async def test_reasoning_that_cannot_be_opened_is_spoilt() -> None:
    forged = ThinkingPart({"type": "reasoning", "summary": [], "encrypted_content": "forged"})
    said = ViewMessage("assistant", (forged, TextPart("Hello.")))
    async with connected() as (api, model):
        with pytest.raises(SpoiltThinking):
            await reply_to(model, asking(user("Hi"), said, user("And?")))
    assert len(api.refusals) == 1


BAD: dict[str, tuple[Json, str]] = {
    "an id that was never kept": (
        {"store": False, "input": [{"type": "message", "role": "user", "id": "m", "content": []}]},
        "Items are not persisted",
    ),
    "a call without its output": (
        {"input": [{"type": "function_call", "call_id": "c", "name": "n", "arguments": "{}"}]},
        "No tool output found for function call c",
    ),
    "an output without its call": (
        {"input": [{"type": "function_call_output", "call_id": "c", "output": ""}]},
        "No tool call found",
    ),
    "sealed reasoning of a model that does not reason": (
        {"model": "gpt-4.1", "include": ["reasoning.encrypted_content"]},
        "Encrypted content is not supported with this model.",
    ),
    "a field of Chat Completions": ({"max_tokens": 5}, "Unknown parameter: 'max_tokens'."),
    "a strict schema without required": (
        {"tools": [{"type": "function", "name": "n", "parameters": {}}]},
        "Invalid schema for function 'n'",
    ),
    "a text that the person did not say": (
        {"input": [{"role": "user", "content": [{"type": "output_text", "text": "x"}]}]},
        "Invalid value: 'output_text'",
    ),
    "too small an output": ({"max_output_tokens": 5}, "integer below minimum value"),
}


@pytest.mark.parametrize("name", BAD)
async def test_the_stand_in_refuses_what_the_service_refuses(name: str) -> None:
    changes, words = BAD[name]
    api = ResponsesApi()
    said = [{"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}]
    async with (
        serving(api.app) as url,
        AsyncOpenAI(api_key="test-key", base_url=f"{url}/v1", max_retries=0) as sdk,
    ):
        body = {"model": "gpt-5.1", "input": said, **changes}
        with pytest.raises(Exception, match="4") as refused:
            await sdk.post("/responses", body=body, cast_to=object)
    assert words in str(refused.value)


async def test_the_sdk_itself_reads_the_stand_in() -> None:
    api = ResponsesApi(reasoning() + look("ships", sources=(SHIPS,)) + says("Ships.", SHIPS))
    async with (
        serving(api.app) as url,
        AsyncOpenAI(api_key="test-key", base_url=f"{url}/v1", max_retries=0) as sdk,
    ):
        told = await sdk.responses.create(
            model="gpt-5.1",
            input=[{"role": "user", "content": [{"type": "input_text", "text": "ships?"}]}],
            tools=[{"type": "web_search"}],
            include=["web_search_call.action.sources"],
            store=False,
        )
    assert told.output_text == "Ships."
    assert [item.type for item in told.output] == ["reasoning", "web_search_call", "message"]
