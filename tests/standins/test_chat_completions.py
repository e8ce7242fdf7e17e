"""The stand-in for Chat Completions: what it answers and, in the real words, what it refuses."""

from typing import Any

import pytest
from openai import AuthenticationError, NotFoundError, RateLimitError

from tests.standins.chat_completions import ChatCompletions, calls, failure, text, thinking, tool
from tests.standins.chat_completions.talking import talking_to
from tests.standins.messages_api.wire import Json

TOOL: Json = {
    "type": "function",
    "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}},
}
USER: Json = {"role": "user", "content": "Hi"}


def called(*ids: str, **fields: Any) -> Json:
    """An assistant's message with calls of these ids."""
    made = [
        {"id": each, "type": "function", "function": {"name": "look", "arguments": "{}"}}
        for each in ids
    ]
    return {"role": "assistant", "content": None, "tool_calls": made, **fields}


def answer(call_id: str) -> Json:
    return {"role": "tool", "tool_call_id": call_id, "content": "seen"}


def body(*messages: Json, **fields: Any) -> Json:
    return {"model": "gpt-4.1", "messages": list(messages or (USER,)), "tools": [TOOL], **fields}


def edited(message: Json, **fields: Any) -> Json:
    """The message with these fields in its first call; None takes a field away."""
    first = {**message["tool_calls"][0], **fields}
    first = {name: value for name, value in first.items() if value is not None}
    return {**message, "tool_calls": [first]}


def named(name: str) -> Json:
    return {**TOOL, "function": {**TOOL["function"], "name": name}}


REFUSED = [
    ("B1 missing", body(USER, called("a", "b"), answer("a")), "did not have response messages: b"),
    ("B1 between", body(USER, called("a"), USER, answer("a")), "must be followed by tool messages"),
    ("B1 end", body(USER, called("a")), "must be followed by tool messages"),
    ("B2", body(USER, answer("a")), "must be a response to a preceeding message with 'tool_calls'"),
    ("B3 long", body(USER, called("x" * 41), answer("x" * 41)), "maximum length 40, but got"),
    ("B3 empty", body(USER, called("")), "Missing required parameter"),
    ("B4", body(USER, called("a"), answer("a"), called("a"), answer("a")), "Duplicate value"),
    ("B4 result", body(USER, called("a"), answer("a"), answer("a")), "Duplicate value"),
    ("B5", body(USER, {**called(), "content": "so"}), "empty array. Expected an array"),
    ("B6", body(USER, edited(called("a"), type=None)), "messages[1].tool_calls[0].type"),
    ("B7", body({"role": "user", "content": None}), "expected a string, got null"),
    ("B7 assistant", body(USER, {"role": "assistant", "content": None}), "got null"),
    ("B8", body({"role": "bogus", "content": "x"}), "Invalid value: 'bogus'. Supported values are"),
    (
        "B9",
        body(tools=[named(f"t{n}") for n in range(129)]),
        "maximum length 128, but got an array",
    ),
    ("B9 calls", body(USER, called(*map(str, range(129)))), "'messages[1].tool_calls': array too"),
    ("B10", body(tools=[named("a.b")]), "'tools[0].function.name': string does not match"),
    ("B10 long", body(tools=[named("a" * 65)]), "maximum length 64"),
    ("B11", body(tool_choice={"type": "function", "function": {"name": "x"}}), "named 'x' was"),
    ("B12", body(temperatur=1), "Unknown parameter: 'temperatur'. Did you mean 'temperature'?"),
    ("B12 message", body({**USER, "mood": "good"}), "Unknown parameter: 'messages[0].mood'"),
    ("B12 call", body(USER, edited(called("a"), thought="x"), answer("a")), "Unknown parameter"),
    ("B12 reasoning", body(USER, {**called("a"), "reasoning": "x"}, answer("a")), "Unknown"),
    ("B13", body(model="gpt-5.1", max_tokens=9), "Use 'max_completion_tokens' instead"),
    ("B13 heat", body(model="gpt-5.1", temperature=0), "does not support"),
    ("B13 stop", body(model="gpt-5.1", stop="x"), "'stop' is not supported with this model"),
    (
        "B15",
        body(USER, edited(called("a"), function={"name": "look", "arguments": "x" * 1_048_577})),
        "maximum length 1048576",
    ),
    (
        "B15 no text",
        body(USER, edited(called("a"), function={"name": "look", "arguments": {}})),
        "expected a string, but got an object",
    ),
    ("B16", body({**USER, "content": "x" * 200_000}, model="qwen-local"), "maximum context length"),
    ("tools []", body(tools=[]), "'tools': empty array"),
    (
        "choice",
        {"model": "gpt-4.1", "messages": [USER], "tool_choice": "none"},
        "only allowed when",
    ),
    ("no messages", {"model": "gpt-4.1"}, "Missing required parameter: 'messages'"),
    ("too much", body(max_tokens=10**6), "max_tokens is too large"),
    (
        "usage of no stream",
        body(stream_options={"include_usage": True}),
        "only allowed when 'stream'",
    ),
]


@pytest.mark.parametrize(("rule", "sent", "words"), REFUSED, ids=[rule for rule, _, _ in REFUSED])
async def test_it_refuses_what_the_real_service_refuses(rule: str, sent: Json, words: str) -> None:
    api = ChatCompletions()
    async with talking_to(api) as client:
        error = await client.refusal(sent)
    assert words in error["message"]
    assert {"message", "type", "param", "code"} == error.keys()
    assert api.refusals == [(400, error["message"])]


async def test_output_that_went_into_reasoning_alone_is_refused() -> None:
    api = ChatCompletions(text("So.").thought_for(50), text("So.").thought_for(49))
    async with talking_to(api) as client:
        asked = body(model="gpt-5.1", max_completion_tokens=50)
        error = await client.refusal(asked)
        assert error["message"].startswith("Could not finish the message because max_tokens")
        assert (await client.accepted(asked))["choices"][0]["message"]["content"] == "So."


def test_every_rule_has_a_refused_example() -> None:
    shown = {rule.partition(" ")[0] for rule, _, _ in REFUSED}
    # Only the reply shows that the output was spent.
    assert shown >= {f"B{n}" for n in range(1, 17)} - {"B14"}


async def test_a_whole_round_with_a_tool_is_answered_through_the_real_sdk() -> None:
    api = ChatCompletions(calls(tool("look", {"at": "it"})), text("Seen.").in_pieces(2))
    async with talking_to(api) as client:
        first = await client.sdk.chat.completions.create(**body(USER))
        message = first.choices[0].message
        assert message.tool_calls is not None
        sent = message.model_dump(exclude_none=True, include={"role", "tool_calls"})
        again = body(USER, sent, answer(message.tool_calls[0].id), stream=True)
        stream = await client.sdk.chat.completions.create(
            **again, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
    assert first.choices[0].finish_reason == "tool_calls"
    words = [c.choices[0].delta.content or "" for c in chunks if c.choices]
    assert "".join(words) == "Seen."
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens > 0
    api.assert_exhausted()


async def test_a_server_that_keeps_reasoning_wants_it_back_unchanged() -> None:
    api = ChatCompletions(thinking("hm hm") + text("So."), text("Yes."))
    async with talking_to(api) as client:
        first = await client.accepted(body(model="qwen-local"))
        said = first["choices"][0]["message"]
        assert said["reasoning_content"] == "hm hm"
        other = body(USER, {**said, "reasoning_content": "hm"}, USER, model="qwen-local")
        error = await client.refusal(other)
        assert "not as it was answered" in error["message"]
        await client.accepted(body(USER, said, USER, model="qwen-local"))


async def test_keys_models_and_limits_have_their_errors() -> None:
    api = ChatCompletions(failure(429, retry_after=3))
    async with talking_to(api) as client:
        with pytest.raises(AuthenticationError, match="Incorrect API key"):
            await client.sdk.with_options(api_key="other").models.list()
        with pytest.raises(NotFoundError, match="does not exist"):
            await client.sdk.chat.completions.create(**body(model="gpt-9"))
        with pytest.raises(RateLimitError):
            await client.sdk.chat.completions.create(**body())
        listed = await client.sdk.models.list()
    assert {each.id for each in listed.data} >= {"gpt-4.1", "gpt-5.1"}
