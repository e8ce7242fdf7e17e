"""How far a turn has come, read from its entries."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.approval import ApprovalState
from bot.domain.tools.tool import Code, Status
from bot.domain.turn.progress import HINT, error_key, fold
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CutBody,
    Entry,
    IntentBody,
    LateResultBody,
    NoteBody,
    ReplyBody,
    ResultBody,
    SummaryBody,
)
from tests.domain.logs import call, card, log, logs, progress_of, reply, result, turn

ASKED = AskerBody("Hi", "Ann")


def tried(*outcomes: str, **arguments: str) -> list[Body]:
    """Rounds of the same call with these outcomes."""
    bodies: list[Body] = []
    for n, text in enumerate(outcomes):
        again = call(id=f"call_{n}", **arguments)
        bodies += [reply(again), ResultBody(result(again, text=text))]
    return bodies


@given(logs(turns=1), st.data())
def test_each_call_is_either_open_or_done(entries: list[Entry], data: st.DataObject) -> None:
    cut = entries[: data.draw(st.integers(1, len(entries)))]
    so_far = progress_of(cut)
    called = [c.id for e in cut if isinstance(e.body, ReplyBody) for c in e.body.calls]
    answered = {e.body.result.call_id for e in cut if isinstance(e.body, ResultBody)}
    assert {d.call.id for d in so_far.done} == answered
    assert [c.call.id for c in so_far.open_calls] == [i for i in called if i not in answered]


def test_an_intent_marks_its_call_as_begun() -> None:
    first, second = call(), call(id="call_2")
    so_far = progress_of(log(ASKED, reply(first, second), IntentBody(second.id)))
    assert [c.begun for c in so_far.open_calls] == [False, True]


def test_a_card_belongs_to_its_call_and_turn() -> None:
    foreign = card(call(), turn="t0")
    assert (
        progress_of(log(ASKED, reply(call())), approvals=(foreign,)).open_calls[0].approval is None
    )
    own = card(call())
    assert progress_of(log(ASKED, reply(call())), approvals=(own,)).open_calls[0].approval == own


def test_a_continuation_begins_with_the_call_of_its_card() -> None:
    late = card(call(), ApprovalState.APPROVED, turn="t0", set_aside=True)
    row = turn(approval=late.id)
    assert [c.call for c in fold(row, (), (late,)).open_calls] == [late.call]
    told = LateResultBody(late.id, "read_file", "", "approved", "ok", result(late.call))
    done = fold(row, log(told), (late,))
    assert done.open_calls == ()
    assert [d.call for d in done.done] == [late.call]


def test_repetitions_count_back_from_the_newest_while_the_result_stays() -> None:
    assert progress_of(log(ASKED, *tried("a", "a", "b"))).repeats(call()) == 1
    assert progress_of(log(ASKED, *tried("a", "b", "b"))).repeats(call()) == 2
    assert progress_of(log(ASKED, *tried("a", "a", "a"))).repeats(call(id="new")) == 3
    assert progress_of(log(ASKED, *tried("a", "a", path="x"))).repeats(call(path="y")) == 0


def test_other_calls_between_do_not_hide_a_repetition() -> None:
    other = call("list_files", "other")
    between = [reply(other), ResultBody(result(other))]
    bodies = tried("a", "a")
    assert progress_of(log(ASKED, *bodies[:2], *between, *bodies[2:])).repeats(call()) == 2


def test_each_allowed_repetition_grants_more() -> None:
    allowed = [card(call(id=f"c{n}"), ApprovalState.APPROVED, kind="repeat") for n in range(2)]
    denied = card(call(id="c3"), ApprovalState.DENIED, kind="repeat")
    plain = card(call(id="c4"), ApprovalState.APPROVED)
    so_far = progress_of(log(ASKED), approvals=(*allowed, denied, plain))
    assert so_far.repeats_granted(call(), 3) == 6
    assert so_far.repeats_granted(call(path="x"), 3) == 0


def test_errors_are_alike_in_spite_of_case_space_and_advice() -> None:
    plain = result(call(), Status.FAILED, "No such  file\n", Code.ERROR)
    advised = replace(plain, text=f"no SUCH file{HINT}Do not repeat it.")
    assert error_key(plain) == error_key(advised)
    assert error_key(plain) != error_key(replace(plain, tool="list_files"))


def test_denied_and_skipped_calls_are_no_errors() -> None:
    for status in (Status.BLOCKED, Status.SKIPPED, Status.SUCCESS, Status.PLANNED):
        done = ResultBody(result(call(), status, "no"))
        assert progress_of(log(ASKED, reply(call()), done)).same_error() == (None, 0)


def test_a_question_counts_only_in_the_newest_round() -> None:
    asked = ResultBody(replace(result(call()), question="Which one?"))
    assert progress_of(log(ASKED, reply(call()), asked)).question == "Which one?"
    assert progress_of(log(ASKED, reply(call()), asked, reply("Hm"))).question is None


def test_cuts_count_since_the_newest_reply() -> None:
    so_far = progress_of(
        log(ASKED, CutBody((1,), 9), reply(call()), SummaryBody(1, "They talked."))
    )
    assert so_far.cuts_since_reply == 1
    assert so_far.shrunk
    assert not progress_of(log(ASKED, CutBody((), 0))).shrunk


def test_a_wrap_up_once_asked_for_stays_asked_for() -> None:
    asked = progress_of(log(ASKED, NoteBody("wrap_up", "End."), reply(call())))
    assert asked.wrap_up_asked
    assert not progress_of(log(ASKED, NoteBody("nudge", "Go on."))).wrap_up_asked
