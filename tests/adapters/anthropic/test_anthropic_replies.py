"""Replies of the Messages API, over real HTTP, as the program keeps them."""

import pytest

from bot.domain.money.model import FinishReason, Usage
from bot.domain.talk.errors import ModelUnreachable
from bot.domain.tools.arguments import parse_arguments
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ForeignPart, ReplyPart, TextPart, ThinkingPart
from bot.domain.turn.view import ModelReply, ResultPart, ViewMessage
from tests.adapters.anthropic.talk import asking, connected, reply_to, user
from tests.standins.messages_api import (
    Call,
    Reply,
    calls,
    empty,
    raw_block,
    search,
    text,
    thinking,
    tool,
)


async def only_reply(reply: Reply) -> ModelReply:
    async with connected(reply) as (_, model):
        return (await reply_to(model, asking(model)))[1]


async def called(reply: Reply) -> ToolCall:
    (part,) = (await only_reply(reply)).parts
    assert isinstance(part, CallPart)
    return part.call


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("end_turn", FinishReason.END),
        ("stop_sequence", FinishReason.END),
        ("tool_use", FinishReason.CALLS),
        ("max_tokens", FinishReason.LENGTH),
        ("pause_turn", FinishReason.PAUSE),
        ("refusal", FinishReason.REFUSAL),
        ("model_context_window_exceeded", FinishReason.WINDOW),
        ("a_reason_of_tomorrow", FinishReason.UNKNOWN),
    ],
)
async def test_every_stop_reason_has_its_finish_reason(theirs: str, ours: FinishReason) -> None:
    reply = await only_reply(text("Well.").stopping(theirs))
    assert reply.finish is ours
    assert reply.parts == (TextPart("Well.", {"type": "text", "text": "Well."}),)


async def test_text_streams_piece_by_piece() -> None:
    async with connected(text("one two three").in_pieces(4)) as (_, model):
        words, reply = await reply_to(model, asking(model))
    assert len(words) == 4
    assert "".join(words) == "one two three"
    assert [part.text for part in reply.parts if isinstance(part, TextPart)] == ["one two three"]


async def test_a_message_without_content_has_no_parts() -> None:
    assert (await only_reply(empty())).parts == ()


async def test_the_model_that_answered_and_all_kinds_of_tokens_are_reported() -> None:
    long = "word " * 2000
    async with connected(text("one"), text("two")) as (_, model):
        first = (await reply_to(model, asking(model, words=long)))[1]
        second = (await reply_to(model, asking(model, words=long)))[1]
    assert first.answered_model == "claude-sonnet-5-5"
    assert first.usage.cache_write > 2000
    assert first.usage.cache_read == 0
    assert second.usage.cache_read == first.usage.cache_write
    assert second.usage.output > 0
    assert second.usage.prompt == first.usage.prompt


async def test_usage_counts_from_the_last_event_hold() -> None:
    reply = text("Hi.").with_event(
        "message_delta",
        {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 77, "input_tokens": 3}},
        after=5,
    )
    usage = (await only_reply(reply)).usage
    assert (usage.output, usage.input) == (77, 3)
    assert usage != Usage()


@pytest.mark.parametrize(
    "pieces",
    [
        ('{"command": "ls"}',),
        ("", '{"comm', 'and": "l', "", 's"}'),
        ("  ", '{"command": "ls"} '),
        ('{"command": "\\u006', 'cs"}'),
    ],
)
async def test_arguments_are_kept_as_written_and_read_as_a_whole(pieces: tuple[str, ...]) -> None:
    call = await called(calls(tool("run_command", pieces=pieces)))
    assert call.arguments_text == "".join(pieces)
    assert call.arguments == {"command": "ls"}
    assert call.fault is None


@pytest.mark.parametrize("given", [tool("run_command"), tool("run_command", pieces=("", ""))])
async def test_a_call_without_argument_text_has_no_arguments(given: Call) -> None:
    assert (await called(calls(given))).arguments == {}


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('{"command": "rm -rf build', "not valid JSON: Unterminated string"),
        ('{"command": listt"}', "not valid JSON: Expecting value"),
        ('{"command": "ls"} trailing', "not valid JSON: Extra data"),
        ('["ls"]', "a list, not an object"),
        ('"ls"', "a string, not an object"),
        ("null", "null, not an object"),
        ("true", "a boolean, not an object"),
        ("7", "a number, not an object"),
        ('{"n": NaN}', "NaN is no JSON value"),
        ('{"n": 1e999}', "too large a number"),
        ('{"command": "\\ud83d"}', "half of a character"),
        ('{"a":' * 70 + "1" + "}" * 70, "nested too deeply"),
    ],
)
async def test_unreadable_arguments_are_a_fault_and_never_mended(written: str, fault: str) -> None:
    call = await called(calls(tool("run_command", pieces=(written,))))
    assert call.arguments is None
    assert fault in (call.fault or "")
    assert call.arguments_text == written


def test_hostile_nesting_of_arguments_is_a_fault() -> None:
    arguments, fault = parse_arguments("[" * 100_000)
    assert arguments is None
    assert "nested too deeply" in (fault or "")


async def test_a_call_cut_before_its_arguments_is_no_call_without_arguments() -> None:
    call = await called(calls(tool("run_command")).stopping("max_tokens"))
    assert call.arguments is None
    assert "cut" in (call.fault or "")


async def test_a_finished_call_before_the_cut_keeps_its_arguments() -> None:
    reply = calls(tool("run_command", {"command": "ls"}), tool("run_command", pieces=('{"comm',)))
    parts = (await only_reply(reply.stopping("max_tokens"))).parts
    kept = [part.call.arguments for part in parts if isinstance(part, CallPart)]
    assert kept == [{"command": "ls"}, None]


async def test_call_ids_that_are_doubled_or_illegal_become_fresh_ones() -> None:
    reply = calls(*(tool("run_command", {}, id=id) for id in ("a", "a", "no good", "")))
    parts = (await only_reply(reply)).parts
    ids = [part.call.id for part in parts if isinstance(part, CallPart)]
    assert ids[0] == "a"
    assert len(set(ids)) == 4
    assert all(id.replace("_", "").isalnum() for id in ids)


async def test_a_call_id_of_an_earlier_round_is_not_used_again() -> None:
    async with connected(calls(tool("run_command", {}, id="call_0"))) as (_, model):
        earlier = CallPart(ToolCall("call_0", "run_command", "{}", {}))
        request = asking(
            model,
            user("Run it."),
            ViewMessage("assistant", (earlier,)),
            ViewMessage("user", (ResultPart("call_0", "done", is_error=False),)),
        )
        (part,) = (await reply_to(model, request))[1].parts
    assert isinstance(part, CallPart)
    assert part.call.id != "call_0"


async def test_everything_goes_back_as_it_came_and_is_accepted() -> None:
    """Thinking bound to its prefix, blank text, unknown blocks and broken calls, round by round."""
    async with connected(
        thinking("First.").in_pieces(3)
        + text("")
        + calls(tool("run_command", pieces=("", '{"command": "ls", "n": 1e2, "n": 3}'))),
        thinking("", redacted=True)
        + thinking("Second.")
        + text("Let me see.\n\n")
        + calls(tool("run_command", pieces=('{"command": "rm',)), tool("run_command")),
        raw_block({"type": "hologram", "depth": 3, "inner": [{"type": "text", "text": "x"}]})
        + thinking("Third.")
        + text("Done. \n"),
        text("Indeed."),
    ) as (api, model):
        messages = [user("Run it.")]
        kinds: list[type[ReplyPart]] = []
        for _ in range(3):
            reply = (await reply_to(model, asking(model, *messages)))[1]
            kinds += [type(part) for part in reply.parts]
            messages += [ViewMessage("assistant", reply.parts), answers_to(reply)]
        await reply_to(model, asking(model, *messages))
        sent = api.requests[-1].body["messages"]
    assert kinds == [
        *(ThinkingPart, TextPart, CallPart),
        *(ThinkingPart, ThinkingPart, TextPart, CallPart, CallPart),
        *(ForeignPart, ThinkingPart, TextPart),
    ]
    assert [block["type"] for block in sent[1]["content"]] == ["thinking", "tool_use"]
    assert sent[1]["content"][1]["input"] == {"command": "ls", "n": 3}
    assert [block.get("input") for block in sent[3]["content"][3:]] == [{}, {}]
    assert sent[3]["content"][2]["text"] == "Let me see.\n\n"
    assert sent[5]["content"][0]["type"] == "hologram"


def answers_to(reply: ModelReply) -> ViewMessage:
    called = [part.call for part in reply.parts if isinstance(part, CallPart)]
    results = [ResultPart(call.id, "no", is_error=call.arguments is None) for call in called]
    return ViewMessage("user", tuple(results) or (TextPart("And now?"),))


async def test_a_paused_reply_goes_back_unchanged_at_the_end() -> None:
    async with connected(
        thinking("Hm.") + text("Searching \n").stopping("pause_turn"), text("Found.")
    ) as (_, model):
        paused = (await reply_to(model, asking(model)))[1]
        request = asking(
            model,
            user("Go on."),
            ViewMessage("assistant", paused.parts),
        )
        (part,) = (await reply_to(model, request))[1].parts
    assert isinstance(part, TextPart)
    assert part.text == "Found."


async def test_half_characters_of_a_reply_are_joined_or_replaced() -> None:
    reply = (
        raw_block({"type": "text", "text": ""})
        .with_event(
            "content_block_delta",
            {"index": 0, "delta": {"type": "text_delta", "text": "a\ud83d"}},
            after=2,
        )
        .with_event(
            "content_block_delta",
            {"index": 0, "delta": {"type": "text_delta", "text": "\ude00b\ud83d"}},
            after=2,
        )
    )
    (part,) = (await only_reply(reply)).parts
    assert isinstance(part, TextPart)
    assert part.text == "a😀b�"
    assert part.raw == {"type": "text", "text": "a😀b�"}


async def test_pings_and_unknown_events_and_deltas_are_passed_over() -> None:
    reply = (
        text("Hello.")
        .with_ping(after=0)
        .with_ping(after=2)
        .with_event("telemetry", {"x": 1}, after=3)
        .with_event("content_block_delta", {"index": 0, "delta": {"type": "odd_delta"}}, after=3)
    )
    assert (await only_reply(reply)).parts == (
        TextPart("Hello.", {"type": "text", "text": "Hello."}),
    )


async def test_citations_of_a_text_are_kept_with_it() -> None:
    cited = {"type": "char_location", "cited_text": "sky", "document_index": 0}
    reply = text("Blue.").with_event(
        "content_block_delta",
        {"index": 0, "delta": {"type": "citations_delta", "citation": cited}},
        after=3,
    )
    (part,) = (await only_reply(reply)).parts
    assert isinstance(part, TextPart)
    assert part.raw == {"type": "text", "text": "Blue.", "citations": [cited]}


@pytest.mark.parametrize("words", [7, ["a"], {"text": "a"}])
async def test_a_text_that_is_none_is_no_reply(words: object) -> None:
    with pytest.raises(ModelUnreachable):
        await only_reply(raw_block({"type": "text", "text": words}))


async def test_a_text_of_nothing_is_empty() -> None:
    (part,) = (await only_reply(raw_block({"type": "text", "text": None}))).parts
    assert isinstance(part, TextPart)
    assert part.text == ""


SHIPS = {"url": "https://ships.example/", "title": "Ships"}


async def test_what_the_api_looked_up_is_kept_as_it_came_marked_foreign_and_counted() -> None:
    reply = await only_reply(search("ships", SHIPS, {"url": "https://b.example/"}) + text("Two."))
    called, found, said = reply.parts
    assert isinstance(called, ForeignPart)
    assert isinstance(found, ForeignPart)
    assert called.untrusted is None
    assert called.raw["input"] == {"query": "ships"}
    assert found.untrusted == "a web search by Claude"
    assert found.text == "https://ships.example/\nhttps://b.example/"
    assert found.raw["content"][0]["encrypted_content"] == "Eq+0/x=="
    assert isinstance(said, TextPart)
    assert reply.usage.searches == 1


async def test_a_search_that_failed_is_no_foreign_text() -> None:
    fault = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    block = {"type": "web_search_tool_result", "tool_use_id": "s", "content": fault}
    (part,) = (await only_reply(raw_block(block))).parts
    assert part == ForeignPart(block)


@pytest.mark.parametrize(("reason", "kept"), [("max_tokens", 0), ("pause_turn", 1)])
async def test_a_search_without_its_result_is_kept_only_where_it_goes_on(
    reason: str, kept: int
) -> None:
    block = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}
    reply = await only_reply(raw_block(block).stopping(reason))
    assert len(reply.parts) == kept


@pytest.mark.parametrize("content", [None, 7, "x", [7, None, {"url": 3}]])
async def test_a_result_of_a_search_that_nobody_can_read_is_foreign_all_the_same(
    content: object,
) -> None:
    block = {"type": "web_search_tool_result", "tool_use_id": "s", "content": content}
    (part,) = (await only_reply(raw_block(block))).parts
    assert isinstance(part, ForeignPart)
    assert part.untrusted
    assert part.raw == block
