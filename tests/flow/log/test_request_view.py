"""The request a model sees: it only grows, it is always legal, and it says what it changed."""

from collections.abc import Sequence
from copy import deepcopy
from itertools import pairwise, takewhile

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.domain.money.model import FinishReason, ModelProfile, Usage
from bot.domain.tools.tool import Status
from bot.domain.turn.transcript import (
    AskerBody,
    CallPart,
    CutBody,
    Entry,
    ImagePart,
    IntentBody,
    LateResultBody,
    ReplyBody,
    ResultBody,
    SummaryBody,
    TextPart,
    ThinkingPart,
)
from bot.domain.turn.view import RequestView, ResultPart, ViewMessage, ViewPart
from bot.flow.log.masking import legal_id
from bot.flow.log.request_view import ViewFold
from tests.domain.logs import (
    OTHER,
    OWN,
    Scribe,
    askers,
    call,
    closed,
    log,
    logs,
    reply,
    result,
)
from tests.flow.log.views import build_view

PROFILE = ModelProfile("anthropic", "one", 200_000, 8_000)
PICTURE = ImagePart("image/png", "iVBORw0KGgo=")
THOUGHT = ThinkingPart({"type": "thinking", "thinking": "hm", "signature": "s"})


def blocks(view: RequestView) -> list[tuple[str, ViewPart]]:
    return [(m.role, part) for m in view.messages for part in m.parts]


def texts(view: RequestView) -> list[str]:
    return [p.text for _, p in blocks(view) if isinstance(p, TextPart)]


def faults(messages: Sequence[ViewMessage]) -> list[str]:
    """Everything a strict provider would refuse in these messages."""
    found: list[str] = []
    if messages and messages[0].role != "user":
        found.append("the first message is not the user's")
    roles = [m.role for m in messages]
    if any(a == b for a, b in pairwise(roles)):
        found.append("a role stands twice in a row")
    for before, message, after in zip(
        [None, *messages], messages, [*messages[1:], None], strict=False
    ):
        found += _faults(before, message, after)
    ids = [p.call.id for m in messages for p in m.parts if isinstance(p, CallPart)]
    if len(ids) != len(set(ids)):
        found.append("a call id stands twice")
    return found


def _faults(
    before: ViewMessage | None, message: ViewMessage, after: ViewMessage | None
) -> list[str]:
    found: list[str] = []
    called, answered = _called(message), _answered(message)
    if not message.parts:
        found.append("a message without content")
    if any(isinstance(p, TextPart) and not p.text.strip() for p in message.parts):
        found.append("a blank text")
    if (called and message.role != "assistant") or (answered and message.role != "user"):
        found.append("a call or result in the wrong role")
    if len(answered) != len(set(answered)):
        found.append("two results for one call")
    if answered and set(answered) - set(_called(before)):
        found.append("a result without its call just before")
    if called and set(called) - set(_answered(after)):
        found.append("a call without its result just after")
    leading = list(takewhile(lambda p: isinstance(p, ResultPart), message.parts))
    if len(leading) != len(answered):
        found.append("results that are not first")
    return found


def _called(message: ViewMessage | None) -> list[str]:
    parts = message.parts if message is not None else ()
    return [p.call.id for p in parts if isinstance(p, CallPart)]


def _answered(message: ViewMessage | None) -> list[str]:
    parts = message.parts if message is not None else ()
    return [p.call_id for p in parts if isinstance(p, ResultPart)]


# Growth


@given(st.data())
def test_a_view_is_a_prefix_of_every_later_one_until_a_stored_cut(data: st.DataObject) -> None:
    before = data.draw(logs())
    after = data.draw(logs(begin=before, turns=2, cuts=False))
    earlier, later = blocks(build_view(before, PROFILE)), blocks(build_view(after, PROFILE))
    assert later[: len(earlier)] == earlier


@given(logs(), st.data())
def test_a_view_built_entry_by_entry_equals_one_built_at_once(
    entries: list[Entry], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(entries)))
    folded = ViewFold(PROFILE, images=4, overhead=100)
    folded.extend(entries[:at])
    folded.view()
    folded.extend(entries[at:])
    whole = ViewFold(PROFILE, images=4, overhead=100)
    whole.extend(entries)
    assert folded.view() == whole.view()
    assert folded.estimate == whole.estimate
    assert folded.untrusted == whole.untrusted
    assert folded.last_seq == len(entries)


@given(logs(cuts=False))
def test_every_call_in_the_log_is_in_view_with_its_result(entries: list[Entry]) -> None:
    said = [e for e in entries if isinstance(e.body, ReplyBody)]
    shown = [r for r in said if _of(r).finish is not FinishReason.REFUSAL]
    wanted = {_id_in_view(r, c.id) for r in shown for c in _of(r).calls}
    messages = build_view(entries, PROFILE).messages
    assert {i for m in messages for i in _called(m)} == wanted
    assert {i for m in messages for i in _answered(m)} == wanted


def _of(entry: Entry) -> ReplyBody:
    assert isinstance(entry.body, ReplyBody)
    return entry.body


def _id_in_view(entry: Entry, id: str) -> str:
    return id if _of(entry).provenance == OWN else legal_id(id, entry.seq)


@given(logs(), askers())
def test_the_log_is_left_as_it_was(entries: list[Entry], asker: AskerBody) -> None:
    scribe = Scribe(entries, entries[-1].turn).open(asker)
    before = deepcopy(scribe.entries)
    build_view(scribe.entries, PROFILE)
    assert scribe.entries == before


# Legality


@settings(max_examples=60)
@given(logs(), askers())
def test_a_turn_ended_at_any_step_leaves_a_view_no_provider_refuses(
    entries: list[Entry], asker: AskerBody
) -> None:
    for ended in range(1, len(entries) + 1):
        left = closed(entries[:ended])
        asked = Scribe(left, left[-1].turn).open(asker).entries
        assert faults(build_view(asked, PROFILE).messages) == []
        assert build_view(asked, PROFILE).messages[-1].role == "user"


def test_what_a_refused_reply_began_is_shown_neither_by_call_nor_by_result() -> None:
    broken = reply("Well,", call(), finish=FinishReason.REFUSAL)
    view = build_view(log(AskerBody("Hi", "Ann"), broken, ResultBody(result(call()))), PROFILE)
    assert view.messages == (ViewMessage("user", (TextPart("Hi"),)),)
    assert [(m.seq, m.role, m.after) for m in view.diagnostics.masked] == [
        (2, "assistant", 0),
        (3, "tool", 0),
    ]


def test_an_empty_reply_is_not_shown_although_it_thought() -> None:
    empty = reply(THOUGHT, " \n")
    view = build_view(log(AskerBody("Hi", "Ann"), empty, AskerBody("Well?", "Ann")), PROFILE)
    assert view.messages == (ViewMessage("user", (TextPart("Hi"), TextPart("Well?"))),)


def test_a_message_of_pictures_alone_has_no_blank_text() -> None:
    view = build_view(log(AskerBody(" ", "Ann", images=(PICTURE,))), PROFILE)
    assert view.messages == (ViewMessage("user", (PICTURE,)),)


def test_a_paused_reply_ends_the_view_of_its_own_model_so_that_it_goes_on() -> None:
    paused = log(AskerBody("Hi", "Ann"), reply("Let me see", finish=FinishReason.PAUSE))
    assert build_view(paused, PROFILE).messages[-1].role == "assistant"


def test_a_paused_reply_that_its_model_cannot_continue_is_followed_by_a_word() -> None:
    paused = log(AskerBody("Hi", "Ann"), reply("Let me see", finish=FinishReason.PAUSE))
    another = ModelProfile("local", "two", 8_000, 1_000)
    assert build_view(paused, another).messages[-1].role == "user"
    cut = Scribe(paused).write(CutBody((), 0)).entries
    assert build_view(cut, PROFILE).messages[-1].role == "user"


# Cuts


@given(logs())
def test_no_thinking_from_before_the_newest_cut_is_in_view(entries: list[Entry]) -> None:
    cut = Scribe(entries, entries[-1].turn).write(CutBody((), 0)).entries
    view = build_view(cut, PROFILE)
    assert not any(isinstance(p, ThinkingPart) for _, p in blocks(view))


def test_thinking_after_a_cut_stays() -> None:
    entries = log(
        AskerBody("Hi", "Ann"),
        reply(THOUGHT, call()),
        ResultBody(result(call())),
        CutBody((), 0),
        reply(THOUGHT, "Done."),
    )
    view = build_view(entries, PROFILE)
    assert [p for _, p in blocks(view)].count(THOUGHT) == 1
    assert [(m.seq, m.role, m.after) for m in view.diagnostics.masked] == [(4, "assistant", 0)]


def test_a_summary_stands_in_for_what_it_covers() -> None:
    scribe = Scribe().write(AskerBody("Hi", "Ann"), reply("Hello"))
    scribe.open(AskerBody("And now?", "Ann"), SummaryBody(2, "They greeted.", "a document"))
    view = build_view(scribe.entries, PROFILE)
    assert texts(view) == ["[Summary of the conversation so far]\nThey greeted.", "And now?"]
    assert view.diagnostics.summary_covers == 2
    folded = ViewFold(PROFILE)
    folded.extend(scribe.entries)
    assert folded.untrusted == "a document"


def test_a_shrunk_result_keeps_its_beginning_and_says_so() -> None:
    long = result(call(), text="abc" + "x" * 5_000)
    entries = log(AskerBody("Hi", "Ann"), reply(call()), ResultBody(long), CutBody((3,), 3))
    view = build_view(entries, PROFILE)
    shown = next(p for _, p in blocks(view) if isinstance(p, ResultPart))
    assert shown.text == "abc\n[… 5000 of 5003 characters left out to make room]"
    (told,) = view.diagnostics.masked
    assert (told.seq, told.role, told.before, told.budget) == (3, "tool", 5_003, 3)
    assert told.after == len(shown.text)


# Other models


@given(logs(models=(OTHER,), cuts=False))
def test_no_sealed_block_of_another_model_is_shown(entries: list[Entry]) -> None:
    for _, part in blocks(build_view(entries, PROFILE)):
        assert isinstance(part, TextPart | ImagePart | CallPart | ResultPart)
        assert not isinstance(part, CallPart) or part.call.raw is None


@given(logs(cuts=False, turns=2))
def test_a_model_that_comes_back_finds_its_own_words_verbatim(entries: list[Entry]) -> None:
    build_view(entries, ModelProfile("local", "two", 8_000, 1_000))
    shown = [part for _, part in blocks(build_view(entries, PROFILE))]
    for entry in entries:
        body = entry.body
        if isinstance(body, ReplyBody) and body.provenance == OWN and body.text:
            kept = [p for p in body.parts if not isinstance(p, TextPart) or p.text.strip()]
            refused = body.finish is FinishReason.REFUSAL
            assert refused or all(any(p is s for s in shown) for p in kept)


def test_what_another_model_wrote_is_named_with_its_sizes() -> None:
    foreign = ReplyBody((THOUGHT, TextPart("Hello")), FinishReason.END, OTHER)
    (told,) = build_view(log(AskerBody("Hi", "Ann"), foreign), PROFILE).diagnostics.masked
    sealed = len("thinking") + len("hm") + len("s")
    assert (told.seq, told.role, told.before, told.after) == (2, "assistant", sealed + 5, 5)
    assert told.reason == "written by another model"


# Pictures, context, estimates


def test_pictures_beyond_the_bound_are_named_and_left_out() -> None:
    entries = log(*(AskerBody("See", "Ann", images=(PICTURE,) * 2) for _ in range(3)))
    view = build_view(entries, PROFILE, images=3)
    assert [p for _, p in blocks(view)].count(PICTURE) == 3
    assert texts(view) == [
        "See",
        "See\n\n[pictures not shown: 1]",
        "See\n\n[pictures not shown: 2]",
    ]
    assert [m.seq for m in view.diagnostics.masked] == [2, 3]


def test_a_model_that_does_not_see_gets_no_picture() -> None:
    blind = ModelProfile("anthropic", "one", 8_000, 1_000, sees=False)
    view = build_view(log(AskerBody("See", "Ann", images=(PICTURE,))), blind)
    assert texts(view) == ["See\n\n[pictures not shown: 1; this model does not see]"]


def test_what_is_true_only_now_stands_behind_the_words() -> None:
    view = build_view(log(AskerBody("Hi", "Ann", moment="Monday")), PROFILE)
    assert texts(view) == ["Hi\n\n<now>Monday</now>"]


def test_an_intent_leaves_no_trace() -> None:
    entries = log(
        AskerBody("Hi", "Ann"), reply(call()), IntentBody("call_1"), ResultBody(result(call()))
    )
    assert build_view(entries, PROFILE) == build_view(
        [e for e in entries if not isinstance(e.body, IntentBody)], PROFILE
    )


def test_a_late_result_is_quoted_as_data() -> None:
    late = LateResultBody("a1", "run_command", "make", "approved by Ann; success", "all: ok")
    assert texts(build_view(log(late), PROFILE)) == [
        "[Late result] run_command (make): approved by Ann; success.\n<output>\nall: ok\n</output>"
    ]


def test_a_failed_result_is_marked_as_an_error() -> None:
    failed = ResultBody(result(call(), Status.BLOCKED, "denied"))
    view = build_view(log(AskerBody("Hi", "Ann"), reply(call()), failed), PROFILE)
    assert blocks(view)[-1] == ("user", ResultPart("call_1", "denied", is_error=True))


def test_the_providers_count_replaces_the_estimate() -> None:
    counted = ReplyBody((TextPart("Hello"),), FinishReason.END, OWN, Usage(input=900, output=50))
    folded = ViewFold(PROFILE, overhead=300)
    folded.extend(log(AskerBody("Hi", "Ann")))
    assert 300 < folded.estimate < 320
    folded.extend(Scribe(log(AskerBody("Hi", "Ann"))).write(counted).entries[1:])
    assert folded.estimate == 950


def test_foreign_content_in_view_is_known_by_its_first_source() -> None:
    folded = ViewFold(PROFILE)
    folded.extend(log(AskerBody("Hi", "Ann")))
    assert folded.untrusted is None
    folded.extend(log(AskerBody("a", "Ann", untrusted="a document"))[0:1])
    assert folded.untrusted == "a document"
