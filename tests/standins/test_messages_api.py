"""The Messages API stand-in refuses, answers and fails the way the real one does."""

import base64
import copy
import json
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anthropic
import httpx
import pytest
from anthropic import AsyncAnthropic

from tests.standins.messages_api import (
    Gate,
    MessagesApi,
    Reply,
    calls,
    dropped,
    empty,
    failure,
    raw_block,
    silence,
    text,
    thinking,
    tool,
)
from tests.standins.serving import serving

Json = dict[str, Any]

SONNET = "claude-sonnet-5-5"
OLDER = "claude-sonnet-4-5"
TOOL = {"name": "look", "description": "Look.", "input_schema": {"type": "object"}}


@dataclass(frozen=True)
class Client:
    """The real SDK and a bare HTTP client, both pointed at one stand-in."""

    sdk: AsyncAnthropic
    http: httpx.AsyncClient

    async def post(self, body: Json, **headers: str) -> httpx.Response:
        return await self.http.post("/v1/messages", json=body, headers=headers)

    async def refusal(self, body: Json, **headers: str) -> str:
        response = await self.post(body, **headers)
        assert response.status_code == 400, response.text
        return response.json()["error"]["message"]

    async def events(self, body: Json) -> list[Json]:
        response = await self.post({**body, "stream": True})
        assert response.status_code == 200, response.text
        lines = [line for line in response.text.splitlines() if line.startswith("data: ")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]

    async def say(self, body: Json) -> Json:
        response = await self.post(body)
        assert response.status_code == 200, response.text
        return response.json()


@asynccontextmanager
async def talking_to(api: MessagesApi) -> AsyncIterator[Client]:
    headers = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
    async with (
        serving(api.app) as url,
        httpx.AsyncClient(base_url=url, headers=headers, trust_env=False) as http,
        AsyncAnthropic(api_key="test-key", base_url=url, max_retries=0) as sdk,
    ):
        yield Client(sdk, http)


def user(content: str | list[Json]) -> Json:
    return {"role": "user", "content": content}


def assistant(content: str | list[Json]) -> Json:
    return {"role": "assistant", "content": content}


def use(call_id: str = "toolu_1", **changes: object) -> Json:
    return {"type": "tool_use", "id": call_id, "name": "look", "input": {}, **changes}


def result(call_id: str = "toolu_1", content: str | list[Json] = "seen") -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content}


def words(said: str, **changes: object) -> Json:
    return {"type": "text", "text": said, **changes}


def request(*messages: Json, **changes: object) -> Json:
    return {
        "model": SONNET,
        "max_tokens": 1000,
        "messages": list(messages) or [user("Hello")],
        **changes,
    }


def loop(*messages: Json, **changes: object) -> Json:
    return request(*messages, tools=[TOOL], **changes)


def without(body: Json, key: str) -> Json:
    return {name: value for name, value in body.items() if name != key}


def png(width: int, height: int) -> Json:
    header = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", width, height)
    return image(base64.b64encode(header).decode())


def jpeg(width: int, height: int) -> Json:
    comment = b"\xff\xfe" + struct.pack(">H", 4) + b"hi"
    frame = b"\xff\xc0" + struct.pack(">HBHH", 17, 8, height, width)
    return image(base64.b64encode(b"\xff\xd8" + comment + frame + bytes(12)).decode())


def image(data: str) -> Json:
    source = {"type": "base64", "media_type": "image/png", "data": data}
    return {"type": "image", "source": source}


DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}
MARK = {"cache_control": {"type": "ephemeral"}}
MANUAL = {"type": "enabled", "budget_tokens": 1024}
ADAPTIVE = {"type": "adaptive"}
UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
    "toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next "
    "message."
)
UNEXPECTED = (
    "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block "
    "must have a corresponding `tool_use` block in the previous message."
)
PREFILL = (
    "This model does not support assistant message prefill. The conversation must end with a "
    "user message."
)
TURN = (user("Look"), assistant([use()]), user([result()]))

RULES: dict[str, tuple[Json, str]] = {
    "model required": (without(request(), "model"), "model: Field required"),
    "max_tokens required": (without(request(), "max_tokens"), "max_tokens: Field required"),
    "messages required": (without(request(), "messages"), "messages: Field required"),
    "messages not empty": (
        {**request(), "messages": []},
        "messages: at least one message is required",
    ),
    "known roles": (
        request({"role": "tool", "content": "x"}),
        'messages: Unexpected role "tool". Allowed roles are "user" or "assistant"',
    ),
    "no system messages on older models": (
        request(user("a"), {"role": "system", "content": "x"}, model=OLDER),
        'messages: Unexpected role "system". Allowed roles are "user" or "assistant"',
    ),
    "user first": (
        request(assistant("Hi"), user("Hello")),
        'messages: first message must use the "user" role',
    ),
    "system message not before a user": (
        request(user("a"), {"role": "system", "content": "x"}, user("b")),
        "messages.1: system messages must precede an assistant message or end the messages array",
    ),
    "user content": (request(user("")), "messages.0: user messages must have non-empty content"),
    "assistant content": (
        request(user("a"), assistant([]), user("b")),
        "messages.1: all messages must have non-empty content except for the optional final "
        "assistant message",
    ),
    "empty text": (
        request(user([words("")])),
        "messages: text content blocks must be non-empty",
    ),
    "empty text in a result": (
        loop(user("a"), assistant([use()]), user([result(content=[words("")])])),
        "messages: text content blocks must be non-empty",
    ),
    "blank text": (
        request(user(" \n")),
        "messages: text content blocks must contain non-whitespace text",
    ),
    "blank system text": (
        request(system=[words(" ")]),
        "system: text content blocks must contain non-whitespace text",
    ),
    "trailing white space in a prefill": (
        request(user("a"), assistant("b "), model=OLDER),
        "messages: final assistant content cannot end with trailing whitespace",
    ),
    "no prefill": (request(user("a"), assistant("b")), PREFILL),
    "call unanswered at the end": (loop(user("a"), assistant([use()])), UNANSWERED),
    "call unanswered in the next message": (
        loop(user("a"), assistant([use()]), user("b")),
        UNANSWERED,
    ),
    "result without a call": (loop(user([result()])), f"messages.0.content.0: {UNEXPECTED}"),
    "result after a later message": (
        loop(*TURN, assistant("c"), user([result()])),
        f"messages.4.content.0: {UNEXPECTED}",
    ),
    "two results for a call": (
        loop(user("a"), assistant([use()]), user([result(), result()])),
        "messages.2.content.1: each tool_use must have a single result. Found multiple "
        "`tool_result` blocks with id: toolu_1",
    ),
    "call ids unique": (
        loop(*TURN, *TURN[1:]),
        "messages.3.content.0: `tool_use` ids must be unique",
    ),
    "results before text": (
        loop(user("a"), assistant([use()]), user([words("b"), result()])),
        "messages.2: Did not find 1 `tool_result` block(s) at the beginning of this message.",
    ),
    "call id pattern": (
        loop(user("a"), assistant([use("bash:0")]), user([result("bash:0")])),
        "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    "result id not empty": (
        loop(user("a"), assistant([use()]), user([result("")])),
        "messages.2.content.0.tool_result.tool_use_id: String should match pattern "
        "'^[a-zA-Z0-9_-]+$'",
    ),
    "input not null": (
        loop(user("a"), assistant([use(input=None)]), user([result()])),
        "messages.1.content.0.tool_use.input: Input should be an object",
    ),
    "input not a string": (
        loop(user("a"), assistant([use(input="{}")]), user([result()])),
        "messages.1.content.0.tool_use.input: Input should be an object",
    ),
    "input not a list": (
        loop(user("a"), assistant([use(input=[])]), user([result()])),
        "messages.1.content.0.tool_use.input: Input should be an object",
    ),
    "calls need tools": (
        request(*TURN),
        "Requests which include `tool_use` or `tool_result` blocks must define tools.",
    ),
    "calls by the assistant": (
        loop(user([use()])),
        "messages.0: `tool_use` blocks can only be in `assistant` messages",
    ),
    "results by the user": (
        loop(user("a"), assistant([result()]), user("b")),
        "messages.1: `tool_result` blocks can only be in `user` messages",
    ),
    "tool name pattern": (
        request(tools=[{**TOOL, "name": "look at"}]),
        "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ),
    "tool names unique": (request(tools=[TOOL, TOOL]), "tools: Tool names must be unique."),
    "schema of an object": (
        request(tools=[{**TOOL, "input_schema": {"type": "string"}}]),
        "tools.0.custom.input_schema.type: Input should be 'object'",
    ),
    "schema without a choice at its top": (
        request(tools=[{**TOOL, "input_schema": {"type": "object", "anyOf": []}}]),
        "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the "
        "top level",
    ),
    "tool choice needs tools": (
        request(tool_choice={"type": "auto"}),
        "tool_choice may only be specified while providing tools.",
    ),
    "tool choice names a tool": (
        loop(tool_choice={"type": "tool", "name": "leap"}),
        "Tool 'leap' not found in provided tools",
    ),
    "no unknown field": (request(bogus=1), "bogus: Extra inputs are not permitted"),
    "no unknown field in a message": (
        request({**user("a"), "bogus": 1}),
        "messages.0.bogus: Extra inputs are not permitted",
    ),
    "no unknown field in a block": (
        request(user([words("a", bogus=1)])),
        "messages.0.content.0.text.bogus: Extra inputs are not permitted",
    ),
    "no unknown block": (
        request(user([{"type": "smell"}])),
        "messages.0.content.0: Input tag 'smell' found using 'type' does not match any of the "
        "expected tags: 'text', 'image', 'document', 'thinking', 'redacted_thinking', "
        "'tool_use', 'tool_result'",
    ),
    "manual thinking opens a tool loop": (
        loop(*TURN, model=OLDER, thinking=MANUAL, max_tokens=2000),
        "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found "
        "`tool_use`. When `thinking` is enabled, a final `assistant` message must start with a "
        "thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks).",
    ),
    "four cache marks": (
        request(user([words("a", **MARK) for _ in range(4)]), system=[words("s", **MARK)]),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "no cache mark on empty text": (
        request(user([words("a"), words("", **MARK)])),
        "messages.0.content.1.text: cache_control cannot be set for empty text blocks",
    ),
    "prompt and answer within the older window": (
        request(user("a" * 4 * 150_000), model=OLDER, max_tokens=60_000),
        "input length and `max_tokens` exceed context limit: 150023 + 60000 > 200000, decrease "
        "input length or `max_tokens` and try again",
    ),
    "output limit": (
        request(max_tokens=128_001),
        "max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for "
        "claude-sonnet-5-5",
    ),
    "image bytes": (
        request(user([image("A" * 5_242_884)])),
        "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 5242884 bytes > "
        "5242880 bytes",
    ),
    "image pixels": (
        request(user([png(8001, 10)])),
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions "
        "exceed max allowed size: 8000 pixels",
    ),
    "image pixels of a JPEG in a result": (
        loop(*TURN[:2], user([result(content=[jpeg(10, 8001)])])),
        "messages.2.content.0.tool_result.content.0.image.source.base64.data: At least one of "
        "the image dimensions exceed max allowed size: 8000 pixels",
    ),
    "messages are objects": (
        {**request(), "messages": ["a"]},
        "messages.0: Input should be an object",
    ),
    "tools are objects": (request(tools=["a"]), "tools.0: Input should be an object"),
    "pixels of many images": (
        request(user([png(10, 2001)] * 21)),
        "messages.0.content.0.image.source.base64.data: At least one of the image dimensions "
        "exceed max allowed size for many-image requests: 2000 pixels",
    ),
    "no temperature": (
        request(model=OLDER, temperature=1),
        "temperature: Extra inputs are not permitted",
    ),
    "no top_p": (request(top_p=0.5), "top_p: Extra inputs are not permitted"),
    "no top_k": (request(top_k=5), "top_k: Extra inputs are not permitted"),
    "no document by the assistant": (
        request(user("a"), assistant([DOCUMENT]), user("b")),
        "messages.1.content.0: `document` blocks are not allowed in `assistant` messages",
    ),
    "no citations by the user": (
        request(user([words("a", citations=[{"type": "char_location"}])])),
        "messages.0.content.0.text.citations: citations are not allowed in `user` messages",
    ),
    "no manual thinking": (
        request(thinking=MANUAL, max_tokens=2000),
        '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" '
        'and "output_config.effort" to control thinking behavior.',
    ),
    "least thinking budget": (
        request(model=OLDER, thinking={"type": "enabled", "budget_tokens": 1023}),
        "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ),
    "thinking budget below max_tokens": (
        request(model=OLDER, thinking=MANUAL, max_tokens=1024),
        "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ),
    "no adaptive thinking on older models": (
        request(model=OLDER, thinking=ADAPTIVE),
        "adaptive thinking is not supported on this model",
    ),
    "no forced tool while thinking": (
        loop(thinking=ADAPTIVE, tool_choice={"type": "any"}),
        "Thinking may not be enabled when tool_choice forces tool use.",
    ),
    "block binding needs its beta": (
        request(thinking={"type": "adaptive", "block_binding": {}}),
        "thinking.adaptive.block_binding: Extra inputs are not permitted",
    ),
    "effort": (
        request(output_config={"effort": "huge"}),
        "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ),
    "forged signature": (
        request(
            user("a"),
            assistant([{"type": "thinking", "thinking": "b", "signature": "c"}, words("d")]),
            user("e"),
        ),
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ),
}


@pytest.mark.parametrize(("body", "message"), RULES.values(), ids=RULES)
async def test_a_broken_rule_is_named_in_the_apis_own_words(body: Json, message: str) -> None:
    api = MessagesApi(text("never said"))
    async with talking_to(api) as client:
        assert await client.refusal(body) == message
    assert api.refusals == [(400, message)]
    with pytest.raises(AssertionError, match="1 replies were never asked for"):
        api.assert_exhausted()


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (request(temperature=1), "`temperature` is deprecated for this model."),
        (request(top_p=0.5), "`top_p` is deprecated for this model."),
        (request(top_k=5), "`top_k` is deprecated for this model."),
        (request(model=OLDER, temperature=1.5), "temperature: range: 0..1"),
    ],
)
async def test_the_earlier_api_version_leaves_sampling_to_the_model(
    body: Json, message: str
) -> None:
    earlier = {"anthropic-version": "2023-06-01"}
    async with talking_to(MessagesApi(text("Fine."))) as client:
        assert await client.refusal(body, **earlier) == message
        legal = request(model=OLDER, temperature=0.5)
        assert (await client.post(legal, **earlier)).status_code == 200


ACCEPTED: dict[str, Json] = {
    "plain": request(),
    "a role twice": request(user("a"), user("b")),
    "results and text in two user messages": loop(*TURN, user("b")),
    "text after results": loop(*TURN[:2], user([result(), words("b")])),
    "several results in any order": loop(
        user("a"), assistant([use("x"), use("y")]), user([result("y"), result("x")])
    ),
    "an empty result": loop(*TURN[:2], user([result(content="")])),
    "system message at the end": loop(*TURN, {"role": "system", "content": "Be brief."}),
    "system message before an assistant": request(
        user("a"), {"role": "system", "content": "x"}, assistant("b"), user("c")
    ),
    "prefill on an older model": request(user("a"), assistant("b"), model=OLDER),
    "no calls wanted while thinking": loop(*TURN, thinking=ADAPTIVE, tool_choice={"type": "none"}),
    "four marks": request(user([words("a", **MARK)] * 3), system=[words("s", **MARK)]),
    "twenty-one small images": request(user([png(2000, 10)] * 21)),
    "every harmless field": request(
        metadata={"user_id": "u"},
        stop_sequences=["END"],
        service_tier="auto",
        output_config={"effort": "low"},
        cache_control={"type": "ephemeral", "ttl": "1h"},
    ),
}


@pytest.mark.parametrize("body", ACCEPTED.values(), ids=ACCEPTED)
async def test_a_legal_request_is_answered(body: Json) -> None:
    api = MessagesApi(text("Fine."))
    async with talking_to(api) as client:
        message = await client.say(body)
    assert message["content"] == [words("Fine.")]
    api.assert_exhausted()


async def test_faults_are_reported_in_the_apis_order() -> None:
    body = request(
        assistant(""), bogus=1, temperature=9, tools=[{**TOOL, "name": ""}], tool_choice={}
    )
    del body["max_tokens"]
    async with talking_to(MessagesApi()) as client:
        heads = []
        for mend in ("tool_choice", "tools", "max_tokens", "temperature", "bogus", "messages"):
            message = await client.refusal(body, **{"anthropic-version": "2023-06-01"})
            heads.append(message.partition(":")[0])
            body = request() | body if mend == "max_tokens" else without(body, mend)
    expected = ["tool_choice", "tools.0.custom.name", "max_tokens", "temperature", "bogus"]
    assert heads == [*expected, "messages"]


async def test_half_a_surrogate_pair_is_not_valid_json() -> None:
    async with talking_to(MessagesApi()) as client:
        raw = json.dumps(request(user("cut \ud83d"))).encode()
        response = await client.http.post(
            "/v1/messages", content=raw, headers={"content-type": "application/json"}
        )
    message = response.json()["error"]["message"]
    assert message.startswith("The request body is not valid JSON: no low surrogate in string: ")


async def test_a_prompt_beyond_the_window_is_counted_at_four_bytes_a_token() -> None:
    body = request(user("a" * 4000))
    size = len(json.dumps(body, separators=(",", ":"), ensure_ascii=False).encode())
    async with talking_to(MessagesApi(context_window=1000)) as client:
        message = await client.refusal(body)
        counted = await client.http.post("/v1/messages/count_tokens", json=body)
    assert message == f"prompt is too long: {-(-size // 4)} tokens > 1000 maximum"
    assert counted.json() == {"input_tokens": -(-size // 4)}


@pytest.mark.parametrize(
    ("headers", "status", "message"),
    [
        ({"x-api-key": ""}, 401, "x-api-key header is required"),
        ({"x-api-key": "other"}, 401, "invalid x-api-key"),
        ({"x-api-key": "", "authorization": "Bearer other"}, 401, "invalid x-api-key"),
        ({"anthropic-version": "1"}, 400, 'anthropic-version: "1" is not a valid version'),
        ({"content-type": "text/plain"}, 400, "content-type: must be application/json"),
    ],
)
async def test_headers_are_checked_first(
    headers: dict[str, str], status: int, message: str
) -> None:
    async with talking_to(MessagesApi()) as client:
        response = await client.post({}, **headers)
    assert (response.status_code, response.json()["error"]["message"]) == (status, message)


async def test_the_sdk_reads_refusals_as_its_own_errors() -> None:
    async with talking_to(MessagesApi()) as client:
        with pytest.raises(anthropic.NotFoundError, match="model: claude-none"):
            await client.sdk.messages.create(
                model="claude-none", max_tokens=1, messages=[{"role": "user", "content": "a"}]
            )
        with pytest.raises(anthropic.AuthenticationError, match="invalid x-api-key"):
            await client.sdk.with_options(api_key="wrong").models.retrieve(SONNET)
        assert (await client.sdk.models.retrieve(SONNET)).max_input_tokens == 1_000_000


async def test_a_streamed_reply_is_assembled_by_the_sdk_to_the_same_message() -> None:
    reply = thinking("Hm.") + text("Looking.") + calls(tool("look", {"at": "the sea"}))
    async with talking_to(MessagesApi(reply.in_pieces(3), reply)) as client:
        body: Any = loop(thinking=ADAPTIVE)
        async with client.sdk.messages.stream(**body) as stream:
            streamed = await stream.get_final_message()
        whole = await client.sdk.messages.create(**body)
    assert [block.type for block in streamed.content] == ["thinking", "text", "tool_use"]
    assert streamed.stop_reason == whole.stop_reason == "tool_use"
    assert streamed.content[0] == whole.content[0]
    assert streamed.content[2].to_dict()["input"] == {"at": "the sea"}
    assert streamed.usage.output_tokens == whole.usage.output_tokens


@pytest.mark.parametrize(
    "reason",
    ["end_turn", "max_tokens", "pause_turn", "model_context_window_exceeded", "something_new"],
)
async def test_any_stop_reason_can_be_scripted(reason: str) -> None:
    reply = text("So far").stopping(reason)
    async with talking_to(MessagesApi(reply, reply)) as client:
        events = await client.events(request())
        assert (await client.say(request()))["stop_reason"] == reason
    assert events[-2]["delta"]["stop_reason"] == reason


async def test_a_refusal_names_its_category_and_a_stop_sequence_itself() -> None:
    refused = empty().stopping("refusal", category="cyber")
    stopped = text("So").stopping("stop_sequence", sequence="END")
    async with talking_to(MessagesApi(refused, stopped)) as client:
        assert (await client.say(request()))["stop_details"]["category"] == "cyber"
        assert (await client.say(request()))["stop_sequence"] == "END"


async def test_a_reply_without_content_streams_no_block() -> None:
    async with talking_to(MessagesApi(empty())) as client:
        events = await client.events(request())
    assert [event["type"] for event in events] == ["message_start", "message_delta", "message_stop"]


async def test_argument_pieces_are_streamed_as_scripted() -> None:
    cut = ("", '{"at": "\\ud8', "3d\\ude00")
    reply = calls(tool("look", pieces=cut), tool("look"), tool("look", id="same"))
    async with talking_to(MessagesApi(reply.stopping("max_tokens"))) as client:
        events = await client.events(loop())
    deltas = [e["delta"]["partial_json"] for e in events if e["type"] == "content_block_delta"]
    starts = [e["content_block"] for e in events if e["type"] == "content_block_start"]
    assert tuple(deltas) == cut
    assert [start["input"] for start in starts] == [{}, {}, {}]
    assert starts[2]["id"] == "same"


async def test_blocks_and_events_of_unknown_types_can_be_sent_and_the_block_sent_back() -> None:
    strange = {"type": "smell", "of": "roses"}
    reply = raw_block(strange).with_ping().with_event("weather", {"sky": "blue"}, after=2)
    async with talking_to(MessagesApi(reply, text("Indeed."))) as client:
        events = await client.events(request())
        await client.say(request(user("Hello"), assistant([strange]), user("And?")))
    assert [event["type"] for event in events[:4]] == [
        "message_start",
        "ping",
        "content_block_start",
        "weather",
    ]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "not_found_error"),
        (413, "request_too_large"),
        (429, "rate_limit_error"),
        (500, "api_error"),
        (529, "overloaded_error"),
    ],
)
async def test_an_http_failure_comes_in_the_apis_envelope(status: int, kind: str) -> None:
    api = MessagesApi(failure(status, "No.", retry_after=7))
    async with talking_to(api) as client:
        response = await client.post(request(stream=True))
    envelope = response.json()
    assert response.status_code == status
    assert response.headers["retry-after"] == "7"
    assert envelope.pop("request_id") == response.headers["request-id"]
    assert envelope == {"type": "error", "error": {"type": kind, "message": "No."}}
    assert api.refusals == []


async def test_an_error_event_ends_the_stream_in_the_middle() -> None:
    async with talking_to(MessagesApi(text("Lost").failing(after=2))) as client:
        events = await client.events(request())
    assert [event["type"] for event in events] == ["message_start", "content_block_start", "error"]
    assert events[-1]["error"] == {"type": "overloaded_error", "message": "Overloaded"}


async def test_a_connection_is_dropped_before_the_first_byte() -> None:
    async with talking_to(MessagesApi(dropped(), dropped())) as client:
        with pytest.raises(httpx.RemoteProtocolError, match="without sending a response"):
            await client.post(request())
        with pytest.raises(anthropic.APIConnectionError):
            await client.sdk.messages.create(**request())


async def test_a_connection_is_dropped_after_the_events_wanted() -> None:
    got: list[str] = []

    async def read(client: Client) -> None:
        post = client.http.stream("POST", "/v1/messages", json=request(stream=True))
        async with post as response:
            async for line in response.aiter_lines():
                got.append(line)

    async with talking_to(MessagesApi(text("Lost").dropped(after=2))) as client:
        with pytest.raises(httpx.RemoteProtocolError, match="incomplete chunked read"):
            await read(client)
    assert [line for line in got if line.startswith("event")] == [
        "event: message_start",
        "event: content_block_start",
    ]


async def test_a_gate_holds_a_reply_between_events() -> None:
    gate = Gate()
    seen: list[str] = []
    async with (
        talking_to(MessagesApi(text("Now").held(gate, after=1))) as client,
        client.http.stream("POST", "/v1/messages", json=request(stream=True)) as response,
    ):
        lines = (line async for line in response.aiter_lines() if line.startswith("event"))
        seen.append(await anext(lines))
        await gate.arrived()
        gate.release()
        seen += [line async for line in lines]
    assert seen[0] == "event: message_start"
    assert seen[-1] == "event: message_stop"


async def test_a_gate_tells_when_the_client_gives_up_before_the_first_byte() -> None:
    gate = Gate()
    async with talking_to(MessagesApi(text("Late").held(gate))) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.http.post("/v1/messages", json=request(), timeout=0.05)
        await gate.abandoned()


async def test_silence_does_not_keep_the_server_from_closing() -> None:
    api = MessagesApi(silence())
    async with talking_to(api) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.http.post("/v1/messages", json=request(), timeout=0.05)
    api.assert_exhausted()


async def test_a_request_beyond_the_script_is_a_500_and_fails_the_test() -> None:
    api = MessagesApi(text("Only one."))
    async with talking_to(api) as client:
        await client.say(request())
        response = await client.post(request())
    assert response.status_code == 500
    with pytest.raises(AssertionError, match="the script holds no reply for request 2"):
        api.assert_exhausted()


async def test_requests_are_recorded_in_order_of_arrival() -> None:
    api = MessagesApi(text("a"), text("b"))
    async with talking_to(api) as client:
        await client.say(request(user("first")))
        await client.say(request(user("second")))
        latest = await api.received(2)
    assert [each.number for each in api.requests] == [1, 2]
    assert latest.body["messages"] == [user("second")]
    assert latest.headers["x-api-key"] == "test-key"
    assert api.requests[0].received_at <= latest.received_at


async def test_without_strictness_a_rule_answers_anything_and_records_are_bounded() -> None:
    api = MessagesApi(respond=lambda each: text(f"number {each.number}"), strict=False, keep=1)
    async with talking_to(api) as client:
        await client.say({"model": "any", "messages": []})
        second = await client.say({"model": "any", "messages": []})
    assert second["content"] == [words("number 2")]
    assert [each.number for each in api.requests] == [2]


FOREIGN = (
    "Invalid `signature` in `thinking` block. The block is bound to a different conversation. "
    'Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".'
)
INVALID = "Invalid `signature` in `thinking` block"
MODIFIED = (
    "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. "
    "These blocks must remain as they were in the original response."
)


async def thoughtful(client: Client) -> Json:
    """Talk for two tool rounds with thinking; return the request for the third reply."""
    body = loop(user("Look"), thinking=ADAPTIVE, system="Be kind.")
    for _ in range(2):
        message = await client.say(body)
        call_id = message["content"][-1]["id"]
        body["messages"] += [assistant(message["content"]), user([result(call_id)])]
    return body


THOUGHTS = tuple(
    thinking(f"Thought {n}.") + text(f"Round {n}.") + calls(tool("look", {"n": n})) for n in (1, 2)
)


def _mark(body: Json) -> None:
    body["messages"][2]["content"][0]["cache_control"] = {"type": "ephemeral"}
    body["system"] = [words("Be kind.", **MARK)]
    body["output_config"] = {"effort": "low"}


def _drop_first_thought(body: Json) -> None:
    del body["messages"][1]["content"][0]


def _drop_every_thought(body: Json) -> None:
    del body["messages"][1]["content"][0]
    del body["messages"][3]["content"][0]


def _split_user_turn(body: Json) -> None:
    body["messages"].append(user("Quick!"))


def _change_model(body: Json) -> None:
    body["model"] = "claude-opus-5-5"
    body["system"] = "Be brief."


@pytest.mark.parametrize(
    "change",
    [_mark, _drop_first_thought, _drop_every_thought, _split_user_turn, _change_model],
)
async def test_thinking_is_taken_back_where_its_prefix_is_unchanged(
    change: Callable[[Json], None],
) -> None:
    async with talking_to(MessagesApi(*THOUGHTS, text("Done."))) as client:
        body = await thoughtful(client)
        change(body)
        assert (await client.say(body))["content"] == [words("Done.")]


def _edit_system(body: Json) -> None:
    body["system"] = "Be brief."


def _edit_tools(body: Json) -> None:
    body["tools"].append({**TOOL, "name": "leap"})


def _edit_first_message(body: Json) -> None:
    body["messages"][0] = user("Look!")


def _edit_result(body: Json) -> None:
    body["messages"][2]["content"][0]["content"] = "masked"


def _edit_first_thought(body: Json) -> None:
    body["messages"][1]["content"][0]["thinking"] = "Other."


def _edit_last_thought(body: Json) -> None:
    body["messages"][3]["content"][0]["thinking"] = "Other."


def _drop_last_thought(body: Json) -> None:
    del body["messages"][3]["content"][0]


def _move_last_thought(body: Json) -> None:
    content = body["messages"][3]["content"]
    content[0], content[1] = content[1], content[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_edit_system, f"messages.1.content.0: {FOREIGN}"),
        (_edit_tools, f"messages.1.content.0: {FOREIGN}"),
        (_edit_first_message, f"messages.1.content.0: {FOREIGN}"),
        (_edit_result, f"messages.3.content.0: {FOREIGN}"),
        (_edit_first_thought, f"messages.1.content.0: {INVALID}"),
        (_edit_last_thought, f"messages.3.content.0: {MODIFIED}"),
        (_drop_last_thought, f"messages.3.content.0: {MODIFIED}"),
        (_move_last_thought, f"messages.3.content.1: {FOREIGN}"),
    ],
)
async def test_thinking_is_refused_where_it_or_its_prefix_changed(
    change: Callable[[Json], None], message: str
) -> None:
    async with talking_to(MessagesApi(*THOUGHTS)) as client:
        body = await thoughtful(client)
        change(body)
        assert await client.refusal(body) == message


async def test_a_thought_between_others_may_not_be_left_out() -> None:
    last = thinking("Thought 3.") + text("Round 3.")
    async with talking_to(MessagesApi(*THOUGHTS, last)) as client:
        body = await thoughtful(client)
        message = await client.say(body)
        body["messages"] += [assistant(message["content"]), user("And?")]
        del body["messages"][3]["content"][0]
        assert await client.refusal(body) == f"messages.5.content.0: {FOREIGN}"


async def test_mismatched_thinking_is_dropped_when_the_request_says_so() -> None:
    async with talking_to(MessagesApi(*THOUGHTS, text("Done."))) as client:
        body = await thoughtful(client)
        body["system"] = "Be brief."
        binding = {"prefix_mismatch_behavior": "drop_block"}
        body["thinking"] = {"type": "adaptive", "block_binding": binding}
        beta = {"anthropic-beta": "thinking-binding-controls-2026-08-01"}
        assert (await client.post(body, **beta)).status_code == 200


async def test_redacted_thinking_is_bound_like_any_other() -> None:
    reply = thinking("Secret.", redacted=True) + text("Well.")
    async with talking_to(MessagesApi(reply, text("Done."))) as client:
        first = await client.say(request())
        body = request(user("Hello"), assistant(first["content"]), user("And?"))
        await client.say(body)
        body["messages"][0] = user("Hi")
        assert await client.refusal(body) == f"messages.1.content.0: {FOREIGN}"


async def test_only_a_paused_turn_may_stand_last_and_only_as_it_was() -> None:
    paused = text("Searching").stopping("pause_turn")
    async with talking_to(MessagesApi(paused, paused, text("Found."))) as client:
        body = request(user("Search"))
        for _ in range(2):
            content = (await client.say(body))["content"]
            body["messages"].append(assistant(content))
        altered = copy.deepcopy(body)
        altered["messages"][-1]["content"][0]["text"] = "Looking"
        assert await client.refusal(altered) == PREFILL
        assert (await client.say(body))["content"] == [words("Found.")]


def marked(messages: list[Json]) -> list[Json]:
    """Put a cache mark on the last block of the last message."""
    *before, last = messages
    content = [*last["content"][:-1], {**last["content"][-1], **MARK}]
    return [*before, {**last, "content": content}]


async def converse(client: Client, turns: int, *, blocks: int = 1) -> list[Json]:
    """Talk so many turns with a moving cache mark; return each reply's usage."""
    messages: list[Json] = []
    usages: list[Json] = []
    for _ in range(turns):
        messages.append(user([words("word " * (2000 // blocks)) for _ in range(blocks)]))
        message = await client.say(request(*marked(messages)))
        messages.append(assistant(message["content"]))
        usages.append(message["usage"])
    return usages


def answering(reply: Reply) -> MessagesApi:
    return MessagesApi(respond=lambda _: reply)


async def test_a_growing_conversation_reads_what_it_wrote_before() -> None:
    api = answering(text("Yes."))
    async with talking_to(api) as client:
        usages = await converse(client, 12)
    written = [usage["cache_creation_input_tokens"] for usage in usages]
    read = [usage["cache_read_input_tokens"] for usage in usages]
    assert read == [sum(written[:turn]) for turn in range(12)]
    assert all(usage["input_tokens"] < 40 for usage in usages)
    assert api.usage_totals.cache_read_input_tokens == sum(read)
    assert api.usage_totals.cached_share > 0.8


async def test_a_mark_finds_no_prefix_more_than_twenty_blocks_back() -> None:
    async with talking_to(answering(text("Yes."))) as client:
        near = await converse(client, 2, blocks=18)
        far = await converse(client, 2, blocks=25)
    assert near[1]["cache_read_input_tokens"] > 0
    assert far[1]["cache_read_input_tokens"] == 0


async def test_a_prefix_below_the_models_minimum_is_not_cached() -> None:
    async with talking_to(answering(text("Yes."))) as client:
        usage = (await client.say(request(user([words("short", **MARK)]))))["usage"]
    assert usage["cache_creation_input_tokens"] == 0


async def test_changed_tools_lose_the_cache() -> None:
    body = request(user([words("word " * 2000, **MARK)]))
    async with talking_to(answering(text("Yes."))) as client:
        await client.say(body)
        same = (await client.say(body))["usage"]
        other = (await client.say({**body, "tools": [TOOL]}))["usage"]
    assert same["cache_read_input_tokens"] > 2000
    assert other["cache_read_input_tokens"] == 0
