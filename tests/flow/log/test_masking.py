"""Another model's words: what of them can be shown, and under which ids."""

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.money.model import FinishReason, ModelProfile
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.transcript import CallPart, ForeignPart, ReplyBody, TextPart, ThinkingPart
from bot.flow.log.masking import legal_id, mask
from bot.flow.log.request_view import is_own
from tests.domain.logs import OTHER, OWN, call, reply

ids = st.text(max_size=70) | st.from_regex(r"[a-c.:]{0,3}", fullmatch=True)


@given(ids, st.integers(1, 10**9))
def test_every_id_becomes_one_that_all_providers_take(id: str, seq: int) -> None:
    assert 1 <= len(legal_id(id, seq)) <= 40
    assert all(c.isascii() and (c.isalnum() or c in "_-") for c in legal_id(id, seq))
    assert legal_id(legal_id(id, seq), seq) == legal_id(id, seq)


@given(st.lists(ids, unique=True), st.integers(1, 9))
def test_different_ids_of_one_reply_stay_different(given_ids: list[str], seq: int) -> None:
    assert len({legal_id(i, seq) for i in given_ids}) == len(given_ids)


def test_ids_that_differ_only_in_illegal_characters_or_late_stay_different() -> None:
    assert legal_id("bash:0", 1) != legal_id("bash.0", 1)
    assert legal_id("x" * 63 + "1", 1) != legal_id("x" * 63 + "2", 1)


def test_a_reply_belongs_to_the_model_that_was_asked() -> None:
    assert is_own(reply("Hi"), ModelProfile("anthropic", "one", 1, 1))
    assert not is_own(reply("Hi"), ModelProfile("anthropic", "two", 1, 1))
    assert not is_own(reply("Hi"), ModelProfile("local", "one", 1, 1))


def test_words_and_calls_stay_and_sealed_blocks_go() -> None:
    sealed = (ThinkingPart({"thinking": "hm"}), ForeignPart({"id": "s"}))
    said = (TextPart("Hi", {"type": "text", "text": "Hi"}), CallPart(call(path="a")))
    parts, masked = mask(ReplyBody((*sealed, *said), FinishReason.CALLS, OTHER), 7)
    assert parts == (TextPart("Hi"), CallPart(call(path="a")))
    assert masked is not None
    assert (masked.seq, masked.before, masked.after) == (7, len("hm") + len("s") + 4, 4)


def test_what_needs_no_mask_is_not_named() -> None:
    assert mask(reply("Hi", call()), 7)[1] is None


def test_a_renamed_id_is_named() -> None:
    parts, masked = mask(reply(call(id="bash:0")), 7)
    (shown,) = parts
    assert isinstance(shown, CallPart)
    assert shown.call.id == legal_id("bash:0", 7)
    assert masked is not None


def test_masking_leaves_the_reply_as_it_was() -> None:
    body = ReplyBody((TextPart("Hi"), CallPart(call(id="a b"))), FinishReason.CALLS, OWN)
    mask(body, 3)
    assert body.calls[0].id == "a b"


def test_a_call_through_another_tool_stays_one_for_another_model() -> None:
    written = '{"name": "notes__add", "arguments": {}}'
    through = ToolCall("c1", "notes__add", written, {}, raw={"id": "c1"}, through="use_tool")
    body = ReplyBody((CallPart(through),), FinishReason.CALLS, OTHER)
    ((shown,), _) = mask(body, 7)
    assert isinstance(shown, CallPart)
    assert (shown.call.written_name, shown.call.arguments_text) == ("use_tool", written)
    ((told,), _) = mask(body, 7, told=True)
    assert told == TextPart(f"[Called use_tool: {written}]")
