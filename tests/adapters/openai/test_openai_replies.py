"""Replies of Chat Completions as they come, and as odd servers write them."""

import json
from typing import Any

import pytest

from bot.domain.money.model import FinishReason, Usage
from bot.domain.money.traits import Traits
from bot.domain.talk.errors import ModelError, ModelOverloaded, ModelUnreachable
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ResultPart, ViewMessage
from tests.adapters.openai.talk import asking, connected, reply_to, user
from tests.standins.chat_completions import (
    Reply,
    calls,
    empty,
    page,
    raw_events,
    text,
    thinking,
    tool,
)
from tests.standins.messages_api.wire import Json


async def answered(reply: Reply, traits: Traits | None = None, **more: Any) -> ModelReply:
    async with connected(reply, traits=traits) as (_, model):
        return (await reply_to(model, asking(model, **more)))[1]


async def fault_of(reply: Reply) -> ModelError:
    async with connected(reply) as (_, model):
        with pytest.raises(ModelError) as caught:
            await reply_to(model, asking(model))
    return caught.value


def called(reply: ModelReply) -> list[ToolCall]:
    return [part.call for part in reply.parts if isinstance(part, CallPart)]


def chunk(delta: Json, reason: str | None = None, **more: Any) -> str:
    return json.dumps({"choices": [{"delta": delta, "finish_reason": reason}], **more})


def piece(**fields: Any) -> Json:
    return {"tool_calls": [fields]}


async def test_words_stream_and_end_in_a_reply_with_its_usage() -> None:
    usage = {
        "prompt_tokens": 100,
        "completion_tokens": 7,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 10},
    }
    async with connected(text("It is noon, my friend.").in_pieces(3).counting(**usage)) as (_, m):
        pieces, reply = await reply_to(m, asking(m))
    assert len(pieces) == 3
    assert reply.parts == (TextPart("It is noon, my friend."),)
    assert reply.finish is FinishReason.END
    assert reply.usage == Usage(input=30, output=7, cache_read=60, cache_write=10)
    assert reply.answered_model == "qwen-local-2026-11-01"


async def test_calls_come_in_pieces_and_keep_what_the_server_put_beside_them() -> None:
    signed = {"google": {"thought_signature": "AbC=="}}
    reply = await answered(
        calls(
            tool("run_command", pieces=['{"com', 'mand": "a b"}'], extra_content=signed),
            tool("run_command", {"command": "ü"}),
        )
    )
    first, second = called(reply)
    assert (first.arguments, first.arguments_text) == ({"command": "a b"}, '{"command": "a b"}')
    assert first.raw is not None
    assert first.raw["extra_content"] == signed
    assert second.arguments == {"command": "ü"}
    assert first.id != second.id
    assert reply.finish is FinishReason.CALLS


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
async def test_reasoning_goes_back_byte_for_byte_in_the_field_it_came_in(field: str) -> None:
    words = " Hm… let me\n\nsee  "
    said = thinking(words, field=field) + text("One.") + calls(tool("run_command", {}))
    async with connected(said, text("Done.")) as (api, model):
        _, reply = await reply_to(model, asking(model))
        assert isinstance(reply.parts[0], ThinkingPart)
        (call,) = called(reply)
        results = ViewMessage("user", (ResultPart(call.id, "ok", is_error=False),))
        log = (user("Go on."), ViewMessage("assistant", reply.parts), results)
        await reply_to(model, asking(model, *log))
        sent = api.requests[-1].body["messages"][2]
    assert sent[field] == words


async def test_details_of_reasoning_are_joined_as_they_were_written() -> None:
    deltas: list[Json] = [
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "a"}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "b"}]},
        {
            "reasoning_details": [
                {"type": "reasoning.text", "index": 0, "text": "", "signature": "S"},
                {"type": "reasoning.encrypted", "index": 1, "data": "XX"},
            ]
        },
        {"content": "So."},
    ]
    reply = await answered(raw_events(*map(chunk, deltas), chunk({}, "stop"), "[DONE]"))
    assert isinstance(reply.parts[0], ThinkingPart)
    assert reply.parts[0].raw == {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "S"},
            {"type": "reasoning.encrypted", "index": 1, "data": "XX"},
        ]
    }


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        (("stop",), FinishReason.END),
        (("length",), FinishReason.LENGTH),
        (("content_filter",), FinishReason.REFUSAL),
        (("stop", "length"), FinishReason.LENGTH),
        (("length", "stop"), FinishReason.LENGTH),
        (("of_tomorrow",), FinishReason.UNKNOWN),
    ],
)
async def test_each_finish_reason_has_its_word_and_the_gravest_of_two_counts(
    reasons: tuple[str, ...], expected: FinishReason
) -> None:
    assert (await answered(text("So.").finishing(*reasons))).finish is expected


async def test_calls_of_a_model_that_is_not_trusted_go_on_though_it_said_stop() -> None:
    said = calls(tool("run_command", {})).finishing("stop")
    assert (await answered(said)).finish is FinishReason.CALLS
    assert (await answered(said, Traits(trusted=True))).finish is FinishReason.END


async def test_a_call_at_the_very_limit_of_the_output_counts_as_cut() -> None:
    said = calls(tool("run_command", {})).counting(prompt_tokens=5, completion_tokens=50)
    assert (await answered(said, max_output=50)).finish is FinishReason.LENGTH
    assert (await answered(said, max_output=51)).finish is FinishReason.CALLS


@pytest.mark.parametrize("cut", ['{"command": "rm -rf bui', '{"command": "rm -rf build', ""])
async def test_a_cut_call_is_invalid_and_never_repaired(cut: str) -> None:
    reply = await answered(calls(tool("run_command", pieces=[cut])).finishing("length"))
    (call,) = called(reply)
    assert (call.arguments, reply.finish) == (None, FinishReason.LENGTH)
    assert call.fault


async def test_a_cut_call_is_invalid_though_the_server_says_that_it_is_whole() -> None:
    reply = await answered(calls(tool("run_command", pieces=['{"command": "rm -rf bui'])))
    assert called(reply)[0].arguments is None


async def test_calls_without_ids_or_with_the_same_get_legal_ones() -> None:
    odd = ("", "", "dup", "dup", "functions.run:0", "x" * 80)
    reply = await answered(calls(*(tool("run_command", {"command": "x"}, id=i) for i in odd)))
    ids = [call.id for call in called(reply)]
    assert len(set(ids)) == len(odd)
    assert "dup" in ids
    assert all(len(each) <= 40 and each.replace("_", "").isalnum() for each in ids)


async def test_calls_without_an_index_are_parted_by_their_ids_and_names() -> None:
    deltas = [
        piece(id="a", function={"name": "run_command", "arguments": '{"command":'}),
        piece(function={"arguments": ' "1"}'}),
        piece(index=0, id="b", function={"name": "run_command", "arguments": '{"command": "2"}'}),
        piece(index=0, function={"name": "other", "arguments": {"command": "3"}}),
    ]
    reply = await answered(raw_events(*map(chunk, deltas), chunk({}, "tool_calls"), "[DONE]"))
    told = [(call.name, (call.arguments or {}).get("command")) for call in called(reply)]
    assert told == [("run_command", "1"), ("run_command", "2"), ("other", "3")]


async def test_an_id_and_a_name_in_every_piece_are_not_doubled() -> None:
    same = {"index": 0, "id": "a1", "type": "function"}
    deltas = [
        piece(**same, function={"name": "run_command", "arguments": '{"command"'}),
        piece(**same, function={"name": "run_command", "arguments": ': "1"}'}),
    ]
    reply = await answered(raw_events(*map(chunk, deltas), chunk({}, "tool_calls"), "[DONE]"))
    (call,) = called(reply)
    assert (call.id, call.name, call.arguments) == ("a1", "run_command", {"command": "1"})


async def test_unknown_fields_and_events_are_passed_over() -> None:
    events = (
        '{"mood": "good"}',
        chunk({"role": "assistant", "content": None, "annotations": []}, x_groq={"id": 1}),
        chunk({"content": [{"type": "text", "text": "So"}, {"type": "thinking", "thinking": []}]}),
        '{"choices": [], "usage": null, "ping": 1}',
        chunk({"content": "."}, "stop"),
    )
    assert (await answered(raw_events(*events))).parts == (TextPart("So."),)


async def test_a_reply_without_usage_counts_as_nothing() -> None:
    reply = await answered(text("So.").uncounted())
    assert (reply.parts, reply.usage) == ((TextPart("So."),), Usage())


@pytest.mark.parametrize("count", [-5, True, 10**30, "7", 1.5, None, [3]])
async def test_counts_that_cannot_be_count_as_nothing(count: object) -> None:
    told = {"prompt_tokens": count, "completion_tokens": count}
    events = (chunk({"content": "So."}, "stop"), json.dumps({"choices": [], "usage": told}))
    assert (await answered(raw_events(*events, "[DONE]"))).usage == Usage()


async def test_of_several_counts_the_last_that_tells_something_is_taken() -> None:
    def counted(prompt: int, output: int) -> str:
        told = {"prompt_tokens": prompt, "completion_tokens": output}
        return json.dumps({"choices": [], "usage": told})

    events = (counted(9, 1), chunk({"content": "So."}, "stop"), counted(9, 3), counted(0, 0))
    assert (await answered(raw_events(*events, "[DONE]"))).usage == Usage(9, 3)


async def test_names_are_whole_and_none_is_longer_than_anybody_needs() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "a\ud83d", "arguments": "{}"}}
    event = chunk({"tool_calls": [call]}, "tool_calls", model="m\ud83d" * 1_000)
    reply = await answered(raw_events(event, "[DONE]"))
    assert called(reply)[0].name == "a\ufffd"
    assert reply.answered_model == "m\ufffd" * 100


async def test_a_reply_without_an_end_is_not_kept_for_ever() -> None:
    piece = chunk({"content": "x" * 4_000_000})
    assert isinstance(await fault_of(raw_events(*[piece] * 17, "[DONE]")), ModelUnreachable)


async def test_a_reply_in_one_piece_is_taken_from_a_server_that_does_not_stream() -> None:
    message = {"role": "assistant", "content": "So.", "tool_calls": None}
    whole = {"choices": [{"message": message, "finish_reason": "stop"}], "model": "m"}
    reply = await answered(page("application/json", json.dumps(whole)))
    assert (reply.parts, reply.finish) == ((TextPart("So."),), FinishReason.END)


async def test_an_empty_reply_is_a_reply_and_an_empty_stream_is_none() -> None:
    assert (await answered(empty())).parts == ()
    for nothing in (raw_events(), raw_events("[DONE]"), raw_events('{"choices": []}', "[DONE]")):
        assert isinstance(await fault_of(nothing), ModelUnreachable)


@pytest.mark.parametrize(
    "reply",
    [
        raw_events(chunk({"content": "Half"}), '{"choices": [{"del'),
        raw_events("null", "[DONE]"),
        raw_events('{"choices": {"0": 1}}'),
        raw_events('{"choices": ["so"]}', "[DONE]"),
        raw_events(chunk({"content": 7}), "[DONE]"),
        raw_events(chunk({"tool_calls": ["so"]}), "[DONE]"),
        text("Half").unfinished(),
        page("text/html", "<!doctype html><html><body>Sign in</body></html>"),
        page("application/json", '{"choices": [{"mess'),
        page("application/json", "[]"),
        page("text/event-stream", "data: \ufffd"),
    ],
)
async def test_what_nobody_can_read_is_no_reply(reply: Reply) -> None:
    assert isinstance(await fault_of(reply), ModelUnreachable)


async def test_a_stream_that_says_done_without_a_reason_is_whole() -> None:
    reply = await answered(raw_events(chunk({"content": "So."}), "[DONE]"))
    assert (reply.parts, reply.finish) == ((TextPart("So."),), FinishReason.UNKNOWN)


async def test_signs_that_end_lines_elsewhere_may_stand_in_a_text() -> None:
    words = "a\u2028b\u0085c\x0bd\x0ce"
    event = json.dumps(
        {"choices": [{"delta": {"content": words}, "finish_reason": "stop"}]}, ensure_ascii=False
    )
    assert (await answered(raw_events(event, "[DONE]"))).parts == (TextPart(words),)


async def test_half_a_character_is_replaced_before_anything_is_stored() -> None:
    event = '{"choices": [{"delta": {"content": "a\\ud83d"}, "finish_reason": "stop"}]}'
    assert (await answered(raw_events(event, "[DONE]"))).parts == (TextPart("a\ufffd"),)


async def test_a_reply_that_was_refused_in_words_ends_in_a_refusal() -> None:
    events = (chunk({"refusal": "I cannot"}), chunk({}, "stop"), "[DONE]")
    assert (await answered(raw_events(*events))).finish is FinishReason.REFUSAL


async def test_a_reply_that_the_server_broke_off_is_tried_again() -> None:
    events = (chunk({"content": "So"}), chunk({}, "error"), "[DONE]")
    assert isinstance(await fault_of(raw_events(*events)), ModelOverloaded)


async def test_arguments_that_no_server_would_take_back_are_invalid() -> None:
    long = json.dumps({"command": "x" * 1_000_001})
    async with connected(calls(tool("run_command", pieces=[long])), text("So.")) as (api, model):
        _, reply = await reply_to(model, asking(model))
        (call,) = called(reply)
        assert call.arguments is None
        results = ViewMessage("user", (ResultPart(call.id, "no", is_error=True),))
        said = ViewMessage("assistant", reply.parts)
        await reply_to(model, asking(model, user("Go on."), said, results))
        sent = api.requests[-1].body["messages"]
    assert sent[2]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert sent[3]["content"] == "[failed] no"
