"""Every rule refuses in the API's own words, and legal requests pass."""

import base64
import json
import struct

import pytest

from tests.standins.messages_api import MessagesApi, search, text
from tests.standins.messages_api.request_bodies import (
    ADAPTIVE,
    MARK,
    OLDER,
    PREFILL,
    TOOL,
    TURN,
    assistant,
    loop,
    request,
    result,
    use,
    user,
    without,
    words,
)
from tests.standins.messages_api.talking import talking_to
from tests.standins.messages_api.wire import Json

DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a"}}
MANUAL = {"type": "enabled", "budget_tokens": 1024}
SEARCH = {"type": "web_search_20250305", "name": "web_search"}
UNANSWERED = (
    "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: "
    "toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next "
    "message."
)
UNEXPECTED = (
    "unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block "
    "must have a corresponding `tool_use` block in the previous message."
)


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
    "tool name length": (
        request(tools=[{**TOOL, "name": "a" * 129}]),
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
    "search tool without unknown fields": (
        request(tools=[{**SEARCH, "input_schema": {}}]),
        "tools.0.web_search_20250305.input_schema: Extra inputs are not permitted",
    ),
    "search tool under its own name": (
        request(tools=[{**SEARCH, "name": "look"}]),
        "tools.0.web_search_20250305.name: Input should be 'web_search'",
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
    "a search of its own": request(tools=[{**SEARCH, "max_uses": 5}, TOOL]),
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


async def test_a_search_is_refused_without_what_it_found_or_when_that_was_changed() -> None:
    reply = search("ships", {"url": "https://ships.example/"}) + text("Ships.")
    api = MessagesApi(reply, text("Fine."))
    async with talking_to(api) as client:
        message = await client.say(request(tools=[SEARCH]))
        assert message["usage"]["server_tool_use"] == {"web_search_requests": 1}
        called, found, said = message["content"]
        told = "`web_search` tool use with id `srvtoolu_1` was found without a corresponding"
        alone = request(user("a"), assistant([called, said]), user("b"), tools=[SEARCH])
        assert told in await client.refusal(alone)
        changed = {**found, "content": [{**found["content"][0], "encrypted_content": "x"}]}
        body = request(user("a"), assistant([called, changed, said]), user("b"), tools=[SEARCH])
        assert "Input tag 'web_search_tool_result'" in await client.refusal(body)
        whole = request(user("a"), assistant([called, found, said]), user("b"), tools=[SEARCH])
        assert (await client.say(whole))["content"][0]["text"] == "Fine."
