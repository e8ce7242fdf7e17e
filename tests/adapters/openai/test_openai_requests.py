"""Requests of Chat Completions: their form, their limits, and prefixes that never change."""

import json
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.adapters.openai.model import OpenAIModel
from bot.adapters.openai.request_body import RequestEncoder
from bot.domain.money.model import FinishReason, ModelProfile
from bot.domain.money.provider import ProviderSpec
from bot.domain.tools.tool import Effect, Replay, ToolCall, ToolSpec
from bot.domain.turn.transcript import CallPart, ImagePart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelRequest, ResultPart, ViewMessage
from tests.adapters.openai.talk import RUN, asking, connected, reply_to, user
from tests.standins.chat_completions import ChatCompletions, text
from tests.standins.chat_completions.limits import LIMITS
from tests.standins.chat_completions.rules import Issued, first_refusal
from tests.standins.messages_api.wire import Json
from tests.standins.serving import serving

SPEC = ProviderSpec("openai", "http://x", output_field="max_completion_tokens", trusted=True)
PROFILE = ModelProfile("openai", "gpt-5.1", window=200_000, max_output=8_000, thinks=False)


def encoded(*messages: ViewMessage, spec: ProviderSpec = SPEC, **more: object) -> Json:
    """The body of a request, which the real rules must take."""
    request = ModelRequest(PROFILE, "Be brief.", (RUN,), messages or (user("Hi"),))
    body = json.loads(RequestEncoder(spec).encode(replace(request, **more)))
    if spec is SPEC:
        assert first_refusal(body, LIMITS["gpt-5.1"], Issued()) is None
    return body


def call(call_id: str, text: str = "{}", **more: object) -> CallPart:
    arguments = json.loads(text) if text.startswith("{") else None
    return CallPart(replace(ToolCall(call_id, "run_command", text, arguments), **more))


def result(call_id: str, text: str = "ok") -> ResultPart:
    return ResultPart(call_id, text, is_error=False)


def test_a_request_says_what_the_server_understands() -> None:
    body = encoded(max_output=99)
    assert body["max_completion_tokens"] == 99
    assert body["stream_options"] == {"include_usage": True}
    assert body["messages"][0] == {"role": "system", "content": "Be brief."}
    other = encoded(spec=ProviderSpec("local", "http://x", streams_usage=False))
    assert other["max_tokens"] == 8_000
    assert "stream_options" not in other


def test_a_call_through_another_tool_goes_back_as_the_model_wrote_it() -> None:
    written = '{"name": "notes__add", "arguments": {"n": 1.50}}'
    through = call("c1", written, name="notes__add", arguments={"n": 1.5}, through="use_tool")
    said = ViewMessage("assistant", (through,))
    body = encoded(user("Hi"), said, ViewMessage("user", (result("c1"),)))
    (sent,) = body["messages"][2]["tool_calls"]
    assert sent["function"] == {"name": "use_tool", "arguments": written}


def test_a_wrap_up_keeps_the_tools_and_forbids_calls() -> None:
    assert encoded(calls_allowed=False)["tool_choice"] == "none"
    assert "tool_choice" not in encoded()
    bare = encoded(tools=(), calls_allowed=False)
    assert "tools" not in bare
    assert "tool_choice" not in bare


def test_results_stand_right_behind_their_calls_and_words_after_them() -> None:
    said = (TextPart("I look."), call("a"), call("b"))
    after = (result("a", " "), result("b"), TextPart("And?"), TextPart("Go on."))
    body = encoded(user("Hi"), ViewMessage("assistant", said), ViewMessage("user", after))
    assert [m["role"] for m in body["messages"][1:]] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "user",
    ]
    assert body["messages"][3]["content"] == "[no output]"
    assert body["messages"][5]["content"] == "And?\n\nGo on."


def test_arguments_go_back_as_they_were_written_and_unreadable_ones_as_nothing() -> None:
    written = '{ "b":1,   "a": "é" }'
    said = ViewMessage("assistant", (call("a", written), call("b", "rm -rf bui")))
    body = encoded(user("Hi"), said, ViewMessage("user", (result("a"), result("b"))))
    sent = [each["function"]["arguments"] for each in body["messages"][2]["tool_calls"]]
    assert sent == [written, "{}"]


def test_pictures_go_beside_words() -> None:
    body = encoded(ViewMessage("user", (ImagePart("image/png", "QUJD"), TextPart("Look."))))
    picture, words = body["messages"][1]["content"]
    assert picture["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert words == {"type": "text", "text": "Look."}


def test_what_nobody_takes_is_left_out() -> None:
    blank = (TextPart(" \n"), ThinkingPart({"reasoning_content": "hm"}))
    body = encoded(user("Hi"), ViewMessage("assistant", blank), user("Go on."))
    assert [m["role"] for m in body["messages"]] == ["system", "user", "user"]


def test_no_more_tools_and_calls_than_a_server_takes() -> None:
    many = tuple(
        ToolSpec(f"t{n}", "Does.", {"type": "object"}, Effect.READ, Replay.SAFE) for n in range(140)
    )
    assert len(encoded(tools=many)["tools"]) == 128
    made = tuple(call(f"c{n}") for n in range(300))
    results = tuple(result(f"c{n}") for n in range(300))
    after = ViewMessage("user", (*results, TextPart("And?")))
    body = encoded(user("Hi"), ViewMessage("assistant", (TextPart("So."), *made)), after)
    sent = [len(m["tool_calls"]) for m in body["messages"] if "tool_calls" in m]
    assert sent == [128, 128, 44]
    assert body["messages"][-1]["content"] == "And?"


def test_names_and_half_characters_of_other_models_are_made_legal() -> None:
    odd = call("a", '{"x": "\\ud83d"}', name="mcp:a.b" + "x" * 90)
    said = ViewMessage("assistant", (TextPart("a\ud83d"), odd))
    body = encoded(user("Hi"), said, ViewMessage("user", (result("a"),)))
    sent = body["messages"][2]
    assert sent["tool_calls"][0]["function"]["name"] == ("mcp_a_b" + "x" * 90)[:64]
    assert sent["content"] == "a?"


def test_each_request_is_a_prefix_of_the_next() -> None:
    encoder = RequestEncoder(SPEC)
    log: list[ViewMessage] = [user("Hi")]
    bodies: list[Json] = []
    for number in range(5):
        request = ModelRequest(PROFILE, "Be brief.", (RUN,), tuple(log))
        bodies.append(json.loads(encoder.encode(request)))
        log.append(ViewMessage("assistant", (call(f"c{number}"),)))
        log.append(ViewMessage("user", (result(f"c{number}"),)))
    for earlier, later in pairwise(bodies):
        assert later["messages"][: len(earlier["messages"])] == earlier["messages"]


async def test_headers_go_along_and_nothing_that_is_meant_for_openai(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given = {
        "OPENAI_API_KEY": "sk-of-openai",
        "OPENAI_ORG_ID": "org-of-openai",
        "OPENAI_PROJECT_ID": "project-of-openai",
        "OPENAI_ADMIN_KEY": "admin-of-openai",
        "OPENAI_CUSTOM_HEADERS": "X-Gateway: pass-of-openai",
        "OPENAI_BASE_URL": "http://127.0.0.1:1",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    async with connected(text("Hi.")) as (api, model):
        await reply_to(model, asking(model))
    sent = api.requests[0].headers
    assert sent["x-pass"] == "a-header-that-is-a-secret"
    assert not [name for name, value in sent.items() if "of-openai" in value]


async def test_a_server_that_wants_no_key_gets_none() -> None:
    api = ChatCompletions(text("Hi."), api_key=None)
    async with (
        serving(api.app) as url,
        OpenAIModel(ProviderSpec("local", f"{url}/v1")) as model,
    ):
        _, reply = await reply_to(model, asking(model))
    assert reply.finish is FinishReason.END
    assert api.requests[0].headers["authorization"] == "Bearer none"


def test_a_call_goes_back_to_its_writer_with_the_id_that_it_was_given() -> None:
    def numbered(call_id: str, own: str) -> CallPart:
        return call(call_id, raw={"id": own, "function": {"name": "run_command"}})

    said = (numbered("x1", "functions.run_command:0"), numbered("x2", "y" * 41))
    again = (numbered("x3", "functions.run_command:0"), call("x4"), numbered("x5", "x4"))
    talk = (
        *(user("Hi"), ViewMessage("assistant", said)),
        ViewMessage("user", (result("x2"), result("x1"), TextPart("Go on."))),
        ViewMessage("assistant", again),
        ViewMessage("user", (result("x3"), result("x4"), result("x5"))),
    )
    body = encoded(*talk)
    asked = [[c["id"] for c in m["tool_calls"]] for m in body["messages"] if "tool_calls" in m]
    # Too long, used before, and used beside it: these keep the id of the log.
    assert asked == [["functions.run_command:0", "x2"], ["x3", "x4", "x5"]]
    answered = [m["tool_call_id"] for m in body["messages"] if m["role"] == "tool"]
    assert answered == ["x2", "functions.run_command:0", "x3", "x4", "x5"]
    assert encoded(*talk[:3])["messages"] == body["messages"][:6]
