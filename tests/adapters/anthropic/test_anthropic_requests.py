"""Requests as they reach the Messages API: their form, their marks, and what is cached."""

import json
from itertools import count, pairwise
from typing import Any

import pytest

from bot.adapters.anthropic.model import AnthropicModel
from bot.adapters.anthropic.request_body import RequestEncoder
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ForeignPart, ImagePart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart, ViewMessage, ViewPart
from tests.adapters.anthropic.talk import KEY, RUN, access, asking, connected, reply_to, user
from tests.standins.messages_api import (
    MessagesApi,
    ReceivedRequest,
    Reply,
    calls,
    text,
    thinking,
    tool,
)
from tests.standins.serving import serving

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ"


def body_of(request: ModelRequest) -> dict[str, Any]:
    return json.loads(RequestEncoder().encode(request))


def model() -> AnthropicModel:
    return AnthropicModel(access())


def content_of(role: str, *parts: ViewPart) -> list[dict[str, Any]]:
    """The blocks that parts become in a message that carries no mark."""
    message = ViewMessage("assistant" if role == "assistant" else "user", parts)
    after = [user("x"), ViewMessage("assistant", (TextPart("y"),))] * 4
    sent = body_of(asking(model(), message, *after))["messages"]
    return sent[0]["content"] if len(sent) > len(after) else []


def test_a_request_says_what_the_model_may_do() -> None:
    body = body_of(asking(model(), words="Hello"))
    assert body == {
        "model": "claude-sonnet-5-5",
        "max_tokens": 32_000,
        "stream": True,
        "thinking": {"type": "adaptive"},
        "tools": [
            {
                "name": RUN.name,
                "description": RUN.description,
                "input_schema": RUN.input_schema,
            }
        ],
        "system": [
            {
                "type": "text",
                "text": "You are brief.",
                "cache_control": {"type": "ephemeral"},
            }
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}}
                ],
            }
        ],
    }


def test_a_wrap_up_keeps_the_tools_and_forbids_calls() -> None:
    request = ModelRequest(
        model().profile("claude-haiku-5-5"), "", (RUN,), (user("Hi"),), calls_allowed=False
    )
    body = body_of(request)
    assert body["tool_choice"] == {"type": "none"}
    assert [each["name"] for each in body["tools"]] == [RUN.name]
    assert "system" not in body


def test_an_unknown_model_is_asked_for_little_and_not_told_to_think() -> None:
    profile = model().profile("claude-of-tomorrow")
    body = body_of(ModelRequest(profile, "", (), (user("Hi"),), False, max_output=100))
    assert "thinking" not in body
    assert "tool_choice" not in body
    assert body["max_tokens"] == 100
    assert profile.price is None


def test_a_set_window_replaces_the_profiles() -> None:
    narrow = AnthropicModel(access(), window=5_000)
    assert narrow.profile("claude-opus-5-5").window == 5_000
    assert narrow.profile("claude-of-tomorrow").window == 5_000


@pytest.mark.parametrize(
    ("role", "part"),
    [
        ("user", TextPart("")),
        ("user", TextPart(" \n\t")),
        ("assistant", TextPart("\n", {"type": "text", "text": "\n"})),
        (
            "assistant",
            ThinkingPart({"type": "thinking", "thinking": "cut", "signature": ""}),
        ),
    ],
)
def test_what_a_provider_refuses_is_not_sent(role: str, part: ViewPart) -> None:
    assert content_of(role, part) == []


def test_each_part_has_its_block() -> None:
    sealed = {"type": "redacted_thinking", "data": "x"}
    odd = {"type": "hologram", "depth": 1}
    assert content_of("user", ImagePart("image/png", PIXEL), TextPart("Look.")) == [
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": PIXEL},
        },
        {"type": "text", "text": "Look."},
    ]
    assert content_of("assistant", ThinkingPart(sealed), ForeignPart(odd)) == [sealed, odd]
    assert content_of("user", ResultPart("c1", "ok", False), ResultPart("c2", "", True)) == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "ok"},
        {"type": "tool_result", "tool_use_id": "c2", "is_error": True},
    ]


def test_words_of_another_model_lose_white_space_at_their_end() -> None:
    raw = {"type": "text", "text": "Mine. \n"}
    assert content_of("assistant", TextPart("Theirs. \n"), TextPart("Mine. \n", raw)) == [
        {"type": "text", "text": "Theirs."},
        raw,
    ]
    assert content_of("user", TextPart("Yours. \n")) == [{"type": "text", "text": "Yours. \n"}]


def test_a_call_keeps_unknown_fields_and_takes_the_id_its_result_refers_to() -> None:
    raw = {"type": "tool_use", "id": "old", "name": "a b", "input": {}, "caller": {"x": 1}}
    call = ToolCall("new", "a b", '{"n": 1.50, "s": "é"}', {"n": 1.5, "s": "é"}, raw=raw)
    assert content_of("assistant", CallPart(call)) == [
        {
            "type": "tool_use",
            "id": "new",
            "name": "a_b",
            "caller": {"x": 1},
            "input": {"n": 1.5, "s": "é"},
        }
    ]


def test_a_call_through_another_tool_goes_back_as_the_model_wrote_it() -> None:
    written = '{"name": "notes__add", "arguments": {"n": 1.50}}'
    raw = {"type": "tool_use", "id": "c1", "name": "use_tool", "input": {}}
    call = ToolCall("c1", "notes__add", written, {"n": 1.5}, raw=raw, through="use_tool")
    assert content_of("assistant", CallPart(call)) == [
        {
            "type": "tool_use",
            "id": "c1",
            "name": "use_tool",
            "input": {"name": "notes__add", "arguments": {"n": 1.5}},
        }
    ]


def test_half_characters_never_leave() -> None:
    encoded = RequestEncoder().encode(asking(model(), words="a\ud83d\x00\u2028é"))
    assert json.loads(encoded)["messages"][0]["content"][0]["text"] == "a?\x00\u2028é"


def test_marks_stand_where_requests_end_and_never_in_the_parts() -> None:
    raw = {"type": "text", "text": "Hi."}
    said = ViewMessage("assistant", (TextPart("Hi.", raw),))
    messages = [user("1"), said, user("2"), said, user("3"), said, user("4"), user("5")]
    body = body_of(asking(model(), *messages))
    marked = [
        message["content"][-1]["text"]
        for message in body["messages"]
        if "cache_control" in message["content"][-1]
    ]
    assert marked == ["2", "3", "5"]
    assert raw == {"type": "text", "text": "Hi."}


def test_a_message_is_encoded_once_and_marked_ever_anew() -> None:
    encoder = RequestEncoder()
    messages = [user("1"), ViewMessage("assistant", (TextPart("a"),)), user("2")]
    first = encoder.encode(asking(model(), *messages))
    assert encoder.encode(asking(model(), *messages)) == first
    longer = [*messages, *messages[1:], *messages[1:], *messages[1:]]
    again = json.loads(encoder.encode(asking(model(), *longer)))["messages"]
    assert again == body_of(asking(model(), *longer))["messages"]
    assert "cache_control" not in again[0]["content"][0]


async def talk(model: AnthropicModel, turns: int, called: int) -> list[ModelReply]:
    """Turns of two rounds each, in messages and results of 2 kB."""
    messages: list[ViewMessage] = []
    replies: list[ModelReply] = []
    for turn in range(turns):
        messages.append(user(f"{turn} " + "word " * 400))
        for _ in range(2):
            reply = (await reply_to(model, asking(model, *messages)))[1]
            replies.append(reply)
            messages.append(ViewMessage("assistant", reply.parts))
            ids = [part.call.id for part in reply.parts if isinstance(part, CallPart)]
            if ids:
                size = 2000 // called
                results = tuple(ResultPart(id, f"{turn}" * size, False) for id in ids)
                messages.append(ViewMessage("user", results))
    return replies


async def test_twelve_turns_with_tools_read_nine_tenths_from_the_cache() -> None:
    ids = count()

    def respond(_: ReceivedRequest) -> Reply:
        if next(ids) % 2:
            return thinking("Hm.") + text("Done. " + "word " * 400)
        return thinking("Let me run it.") + calls(tool("run_command", {"command": "ls"}))

    api = MessagesApi(respond=respond, api_key=KEY)
    async with (
        serving(api.app) as url,
        AnthropicModel(access(url)) as model,
    ):
        replies = await talk(model, turns=12, called=1)
    assert not api.refusals
    assert len(replies) == 24
    assert api.usage_totals.cached_share >= 0.9


@pytest.mark.parametrize("called", [16, 40])
async def test_a_round_of_many_blocks_does_not_lose_the_cache(called: int) -> None:
    many = calls(*(tool("run_command", {"command": f"echo {n}"}) for n in range(called)))
    script = [reply for _ in range(3) for reply in (many, text("Done."))]
    async with connected(*script) as (_, model):
        replies = await talk(model, turns=3, called=called)
    for before, after in pairwise(replies):
        assert after.usage.cache_read == before.usage.cache_read + before.usage.cache_write
