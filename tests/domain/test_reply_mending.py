"""A fresh reply is put right where a later request would be refused for it, and only there."""

import re

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.tools.tool import ToolCall
from bot.domain.turn.reply_mending import admit
from bot.domain.turn.transcript import CallPart, ForeignPart, TextPart, ThinkingPart

ids = st.sampled_from(["call_1", "call_2", "", "bash:0", "x" * 65]) | st.text(max_size=5)
names = st.sampled_from(["read_file", "read_file<|channel|>", "", " run ", "…"]) | st.text()


@st.composite
def calls(draw: st.DrawFn) -> CallPart:
    id, name = draw(ids), draw(names)
    raw = draw(st.none() | st.just({"type": "tool_use", "id": id, "name": name, "caller": "me"}))
    return CallPart(ToolCall(id, name, "{}", {}, raw=raw))


@given(st.lists(st.lists(calls(), max_size=4), max_size=4))
def test_every_call_of_a_conversation_has_a_legal_id_of_its_own(
    replies: list[list[CallPart]],
) -> None:
    taken: set[str] = set()
    admitted = [p.call for r in replies for p in admit(tuple(r), taken) if isinstance(p, CallPart)]
    assert len({c.id for c in admitted}) == len(admitted) == sum(map(len, replies))
    assert taken == {c.id for c in admitted}
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", c.id) for c in admitted)
    assert all(re.fullmatch("[a-zA-Z0-9_-]{1,128}", c.name) for c in admitted)


@given(calls(), st.sets(ids))
def test_the_providers_block_says_the_same_as_the_call(part: CallPart, taken: set[str]) -> None:
    (admitted,) = admit((part,), taken)
    assert isinstance(admitted, CallPart)
    call, raw = admitted.call, part.call.raw
    if raw is None:
        assert call.raw is None
    else:
        assert call.raw == {**raw, "id": call.id, "name": call.name}
        assert raw["id"] == part.call.id


def test_what_is_sound_stays_the_same_object() -> None:
    parts = (
        ThinkingPart({"thinking": "hm\x00", "signature": "s"}),
        TextPart("Hello", {"type": "text", "text": "Hello"}),
        CallPart(ToolCall("call_1", "read_file", '{"path": "a"}', {"path": "a"}, raw={})),
        ForeignPart({"type": "server_tool"}),
    )
    admitted = admit(parts, set())
    assert admitted == parts
    assert admitted[0] is parts[0]


@given(st.text(alphabet=st.characters(exclude_categories=[]), max_size=20))
def test_no_text_holds_what_no_row_and_no_request_can(text: str) -> None:
    (part,) = admit((TextPart(text, {"type": "text", "text": text}),), set())
    assert isinstance(part, TextPart)
    assert "\x00" not in part.text
    part.text.encode()
    assert part.raw is None or part.raw["text"] == part.text


def test_leaked_tokens_behind_a_name_are_cut_off() -> None:
    leaked = CallPart(ToolCall("call_1", "run_command<|constrain|>json", "{}", {}))
    (part,) = admit((leaked,), set())
    assert isinstance(part, CallPart)
    assert part.call.name == "run_command"
    assert part.call.id == "call_1"
