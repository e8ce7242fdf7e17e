"""The verdict: what a turn does next, in every state it can be in."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.consent.approval import Approval, ApprovalState
from bot.domain.loop.verdict import LoopState, broken_off, decide, rest_due
from bot.domain.money.model import FinishReason
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code, Effect, Status, ToolCall
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import (
    OUTCOME_UNKNOWN,
    Ask,
    AskFirst,
    CallModel,
    Compact,
    Elsewhere,
    Finish,
    Gate,
    Park,
    Refuse,
    Run,
    RunTools,
    SendOut,
    Step,
    WrapUp,
)
from bot.domain.turn.transcript import (
    AskerBody,
    Body,
    CutBody,
    IntentBody,
    NoteBody,
    ReplyBody,
    ResultBody,
    SummaryBody,
)
from tests.domain.logs import (
    Scribe,
    a_reply,
    a_result,
    call,
    card,
    closed,
    log,
    pick,
    preview,
    progress_of,
    reply,
    result,
    turn,
)

LIMITS = Limits()
ASKED = AskerBody("Hi", "Ann")
READ = Run(Effect.READ)
WRITE = Run(Effect.WRITE)
BLOCK = Refuse(Status.BLOCKED, Code.POLICY, "No.")
NEW_ERRAND, ERRAND = Elsewhere(begun=False), Elsewhere(begun=True)
NO_CALLS = (FinishReason.END, FinishReason.LENGTH, FinishReason.WINDOW, FinishReason.REFUSAL)


def ask_first(of: ToolCall, *, repeat: bool = False) -> AskFirst:
    return AskFirst(preview(of), repeat)


def state(
    *bodies: Body,
    gates: Mapping[str, Gate] | None = None,
    fill: float = 0.0,
    overflow: bool = False,
    limits: Limits = LIMITS,
    **changes: Any,
) -> LoopState:
    """Where a turn with these entries stands; calls without a card or a gate are reads."""
    progress = progress_of(log(ASKED, *bodies), **changes)
    every: dict[str, Gate] = {
        c.call.id: READ for c in progress.open_calls if c.approval is None and not c.begun
    }
    return LoopState(progress, limits, every | dict(gates or {}), fill, overflow)


def calls(count: int, name: str = "read_file") -> list[ToolCall]:
    return [call(name, f"call_{n}", path=str(n)) for n in range(count)]


def failing(*texts: str) -> list[Body]:
    """Rounds of one call each, all of which failed with these words."""
    bodies: list[Body] = []
    for n, text in enumerate(texts):
        tried = call(id=f"f{n}", path=str(n))
        bodies += [reply(tried), ResultBody(result(tried, Status.FAILED, text, Code.ERROR))]
    return bodies


# Any state

_flags = st.booleans()
_to_three = st.integers(0, 3)


@st.composite
def states(draw: st.DrawFn) -> LoopState:
    """A turn somewhere on its way: any reply, results in part, cards in every state."""
    scribe = Scribe().write(ASKED)
    for _ in range(draw(_to_three)):
        scribe = Scribe(closed(scribe.entries))
        said = a_reply(draw, f"r{len(scribe.entries)}")
        scribe.write(pick(draw, [said, ReplyBody((), said.finish, said.provenance)]))
        for each in said.calls if scribe.entries[-1].body is said else ():
            if draw(_flags):
                scribe.write(IntentBody(each.id))
            if draw(_flags):
                scribe.write(ResultBody(a_result(draw, each)))
        if draw(_flags):
            notes = [NoteBody("wrap_up", "End."), CutBody((), 0), CutBody((1,), 9), ASKED]
            scribe.write(pick(draw, notes))
    left = progress_of(scribe.entries).open_calls
    cards = [_card(draw, c.call) for c in left if not c.begun and draw(_flags)]
    carded = {c.call.id for c in cards}
    gates = {c.call.id: _gate(draw, c.call) for c in left if c.call.id not in carded}
    progress = progress_of(
        scribe.entries,
        approvals=tuple(cards),
        rounds=pick(draw, [0, 1, 2, 11, 12, 19, 20]),
        calls=pick(draw, [0, 9, 79, 80, 81]),
        worked_ms=pick(draw, [0, 0, 0, 1_799_999, 1_800_000]),
        attempts=pick(draw, [0, 0, 0, 1, 3, 7]),
        rests=pick(draw, [0, 0, 1, 4]),
        stop_asked=pick(draw, [None, None, None, "Ann by /stop"]),
    )
    limits = pick(draw, [LIMITS, Limits(calls_per_round=1), Limits(soft_rounds=2)])
    return LoopState(progress, limits, gates, pick(draw, [0.0, 0.89, 0.9, 2.0]), draw(_flags))


def _card(draw: st.DrawFn, of: ToolCall) -> Approval:
    kind = pick(draw, ["call", "repeat"])
    return card(of, pick(draw, tuple(ApprovalState)), kind=kind)


def _gate(draw: st.DrawFn, of: ToolCall) -> Gate:
    asking = [ask_first(of), ask_first(of, repeat=True)]
    return pick(draw, [READ, WRITE, *asking, BLOCK, NEW_ERRAND, ERRAND])


def gate_of(state: LoopState, one: OpenCall) -> Gate | None:
    if one.approval is None:
        return state.gates.get(one.call.id)
    approved = one.approval.state is ApprovalState.APPROVED
    return Run(one.approval.preview.effect) if approved else None


@given(states())
def test_every_state_has_one_verdict(state: LoopState) -> None:
    assert decide(state) == decide(state)
    assert decide(state).why


@given(states())
def test_a_stop_wins_over_everything(state: LoopState) -> None:
    step = decide(state)
    stopped = isinstance(step, Finish) and step.stop_reason is StopReason.USER_CANCELLED
    assert stopped == (state.progress.turn.stop_asked is not None)


@given(states())
def test_the_end_a_companion_calls_for_yields_to_a_stop_and_to_failing_starts_alone(
    state: LoopState,
) -> None:
    called = Finish(StopReason.BUDGET, "it is used up", Code.LIMIT)
    step, without = decide(replace(state, ending=called)), decide(state)
    broken = (StopReason.USER_CANCELLED, StopReason.INTERNAL_FAILURE)
    if isinstance(without, Finish) and without.stop_reason in broken:
        assert step == without
    else:
        assert step == called


@given(states())
def test_the_model_is_asked_only_within_every_bound(state: LoopState) -> None:
    step, row, limits = decide(state), state.progress.turn, state.limits
    if isinstance(step, CallModel | WrapUp):
        assert state.progress.open_calls == ()
        assert row.rounds < limits.max_rounds
        assert row.worked_ms < limits.turn_seconds * 1_000
        assert row.attempts < limits.attempts + 4 or row.rests < 4
    if isinstance(step, CallModel):
        assert row.rounds < limits.soft_rounds
        assert row.calls < limits.calls_per_turn


@given(states())
def test_only_calls_that_may_run_do(state: LoopState) -> None:
    step, progress = decide(state), state.progress
    run = step.run if isinstance(step, RunTools) else ()
    for chosen in run:
        (index,) = [n for n, c in enumerate(progress.open_calls) if c.call == chosen]
        one = progress.open_calls[index]
        gate = gate_of(state, one)
        assert isinstance(gate, Run)
        assert not one.begun
        assert progress.reply is not None
        assert progress.reply.finish not in NO_CALLS
        assert progress.reply.calls.index(chosen) < state.limits.calls_per_round
        if gate.effect is not Effect.READ:
            assert run == (chosen,)
            before = [gate_of(state, c) for c in progress.open_calls[:index]]
            assert all(isinstance(gate, Run) or gate == ERRAND for gate in before)


@given(states())
def test_what_may_have_happened_is_never_run_or_asked_again(state: LoopState) -> None:
    step = decide(state)
    begun = {c.call.id for c in state.progress.open_calls if c.begun}
    if isinstance(step, RunTools):
        assert not begun & {c.id for c in step.run}
        for each, refusal in step.close:
            assert (refusal.code is Code.OUTCOME_UNKNOWN) == (each.id in begun)
    if isinstance(step, Ask):
        assert not begun


@given(states())
def test_only_calls_without_a_card_are_asked_for(state: LoopState) -> None:
    step = decide(state)
    for each in step.calls if isinstance(step, Ask) else ():
        (one,) = [c for c in state.progress.open_calls if c.call == each]
        assert one.approval is None
        assert isinstance(state.gates[each.id], AskFirst)


@given(states())
def test_a_turn_parks_only_for_an_open_card_or_an_errand(state: LoopState) -> None:
    if isinstance(decide(state), Park):
        waiting = [c.approval for c in state.progress.open_calls if c.approval is not None]
        away = [gate_of(state, c) == ERRAND for c in state.progress.open_calls]
        assert any(a.state is ApprovalState.OPEN for a in waiting) or any(away)


@given(states())
def test_only_errands_that_have_not_begun_are_sent_out(state: LoopState) -> None:
    step, progress = decide(state), state.progress
    for each in step.calls if isinstance(step, SendOut) else ():
        (one,) = [c for c in progress.open_calls if c.call == each]
        assert (gate_of(state, one), one.begun) == (NEW_ERRAND, False)
        assert progress.reply is not None
        assert progress.reply.finish not in NO_CALLS
        assert progress.reply.calls.index(each) < state.limits.calls_per_round


def test_errands_are_sent_out_before_cards_and_hold_no_change_up() -> None:
    one, two, three = calls(3)
    gates: dict[str, Gate] = {one.id: NEW_ERRAND, two.id: ask_first(two), three.id: WRITE}
    step = decide(state(reply(one, two, three), gates=gates))
    assert isinstance(step, SendOut)
    assert step.calls == (one,)
    under_way = decide(state(reply(one, three), gates={one.id: ERRAND, three.id: WRITE}))
    assert isinstance(under_way, RunTools)
    assert under_way.run == (three,)
    assert isinstance(decide(state(reply(one), gates={one.id: ERRAND})), Park)


@given(states())
def test_a_card_that_expired_ends_the_turn_without_the_model(state: LoopState) -> None:
    cards = [c.approval for c in state.progress.open_calls if c.approval is not None]
    step, row = decide(state), state.progress.turn
    if row.stop_asked is None and broken_off(row, state.limits) is None:
        expired = any(a.state is ApprovalState.EXPIRED for a in cards)
        assert expired == (isinstance(step, Finish) and step.stop_reason is StopReason.EXPIRED)


# Calls


def test_reads_of_one_reply_run_side_by_side() -> None:
    three = calls(3)
    step = decide(state(reply(*three)))
    assert isinstance(step, RunTools)
    assert step.run == tuple(three)


def test_writes_run_one_at_a_time_in_call_order_after_the_reads() -> None:
    first, second, read = calls(3)
    gates: dict[str, Gate] = {first.id: WRITE, second.id: WRITE}
    said = reply(first, second, read)
    done: list[Body] = []
    for expected in [(read,), (first,), (second,)]:
        step = decide(state(said, *done, gates=gates))
        assert isinstance(step, RunTools)
        assert step.run == expected
        done += [ResultBody(result(c)) for c in expected]
    assert isinstance(decide(state(said, *done)), CallModel)


def test_an_approved_call_waits_for_an_earlier_undecided_one() -> None:
    first, second = calls(2)
    approved = card(second, ApprovalState.APPROVED)
    assert isinstance(decide(state(reply(first, second), approvals=(card(first), approved))), Park)
    decided = (card(first, ApprovalState.DENIED), approved)
    step = decide(state(reply(first, second), approvals=decided))
    assert isinstance(step, RunTools)
    assert [c for c, _ in step.close] == [first]
    after = ResultBody(result(first, Status.BLOCKED, code=Code.DENIED))
    step = decide(state(reply(first, second), after, approvals=decided))
    assert isinstance(step, RunTools)
    assert step.run == (second,)


def test_reads_run_although_a_card_is_open() -> None:
    write, read = calls(2)
    step = decide(state(reply(write, read), approvals=(card(write),)))
    assert isinstance(step, RunTools)
    assert step.run == (read,)


def test_all_changes_of_a_reply_are_asked_for_together() -> None:
    first, second = calls(2)
    gates = {c.id: ask_first(c) for c in (first, second)}
    step = decide(state(reply(first, second), gates=gates))
    assert isinstance(step, Ask)
    assert step.calls == (first, second)


@pytest.mark.parametrize(
    ("card_state", "status", "code"),
    [
        (ApprovalState.DENIED, Status.BLOCKED, Code.DENIED),
        (ApprovalState.UNASKABLE, Status.BLOCKED, Code.UNASKABLE),
        (ApprovalState.CANCELLED, Status.SKIPPED, Code.CANCELLED),
    ],
)
def test_a_card_that_allows_nothing_gives_the_call_its_result(
    card_state: ApprovalState, status: Status, code: Code
) -> None:
    step = decide(state(reply(call()), approvals=(card(call(), card_state),)))
    assert isinstance(step, RunTools)
    ((_, refusal),) = step.close
    assert (refusal.status, refusal.code) == (status, code)


def test_one_expired_card_ends_the_turn_whatever_the_others_are() -> None:
    first, second = calls(2)
    cards = (card(first, ApprovalState.APPROVED), card(second, ApprovalState.EXPIRED))
    step = decide(state(reply(first, second), approvals=cards))
    assert step == Finish(StopReason.EXPIRED, "a card expired", Code.EXPIRED)


def test_a_denial_tells_who_and_why_and_does_not_end_the_turn() -> None:
    denied = card(call(), ApprovalState.DENIED, decider_name="Bo", reason="too early")
    step = decide(state(reply(call()), approvals=(denied,)))
    assert isinstance(step, RunTools)
    told = step.close[0][1].text
    assert "Bo" in told
    assert "too early" in told
    answered = ResultBody(result(call(), Status.BLOCKED, told, Code.DENIED))
    assert isinstance(decide(state(reply(call()), answered, approvals=(denied,))), CallModel)


def test_a_call_that_had_begun_is_closed_as_unknown() -> None:
    step = decide(state(reply(call()), IntentBody("call_1"), gates={"call_1": WRITE}))
    assert isinstance(step, RunTools)
    assert step.close == ((call(), OUTCOME_UNKNOWN),)


@pytest.mark.parametrize(
    ("finish", "code"),
    [
        (FinishReason.LENGTH, Code.CUT),
        (FinishReason.WINDOW, Code.CUT),
        (FinishReason.END, Code.FINISHED),
        (FinishReason.REFUSAL, Code.FINISHED),
    ],
)
def test_calls_of_a_reply_that_ended_otherwise_do_not_run(finish: FinishReason, code: Code) -> None:
    step = decide(state(reply("So:", *calls(3), finish=finish)))
    assert isinstance(step, RunTools)
    assert step.run == ()
    assert [refusal.code for _, refusal in step.close] == [code] * 3


def test_calls_beyond_the_bound_of_a_round_are_skipped() -> None:
    step = decide(state(reply(*calls(5)), limits=Limits(calls_per_round=3)))
    assert isinstance(step, RunTools)
    assert [(c.id, r.code) for c, r in step.close] == [
        ("call_3", Code.LIMIT),
        ("call_4", Code.LIMIT),
    ]


def test_calls_beyond_the_bound_of_a_turn_are_skipped_and_then_wrapped_up() -> None:
    said = reply(*calls(3))
    step = decide(state(said, calls=12, limits=Limits(calls_per_turn=11)))
    assert isinstance(step, RunTools)
    assert [c.id for c, _ in step.close] == ["call_2"]
    done = [ResultBody(result(c)) for c in said.calls]
    assert isinstance(
        decide(state(said, *done, calls=12, limits=Limits(calls_per_turn=11))), WrapUp
    )


def test_calls_left_over_at_the_end_of_the_time_do_not_run() -> None:
    step = decide(state(reply(call()), worked_ms=1_800_000))
    assert step == Finish(StopReason.DEADLINE, "working time is over", Code.LIMIT)


def test_a_repetition_a_person_stopped_ends_the_turn() -> None:
    stopped = card(call(), ApprovalState.DENIED, kind="repeat")
    step = decide(state(reply(call()), approvals=(stopped,)))
    assert isinstance(step, Finish)
    assert (step.stop_reason, step.code) == (StopReason.REPEAT_GUARD, Code.LIMIT)


# After a round


def ending(step: Step) -> StopReason:
    assert isinstance(step, Finish)
    return step.stop_reason


@pytest.mark.parametrize("finish", [FinishReason.END, FinishReason.LENGTH, FinishReason.UNKNOWN])
def test_a_reply_of_words_is_the_answer(finish: FinishReason) -> None:
    assert ending(decide(state(reply("Hello", finish=finish)))) is StopReason.FINAL_ANSWER


def test_a_reply_that_says_it_is_finished_is_final_although_calls_stood_in_it() -> None:
    said = reply("Done.", call(), finish=FinishReason.END)
    skipped = ResultBody(result(call(), Status.SKIPPED, code=Code.FINISHED))
    assert ending(decide(state(said, skipped))) is StopReason.FINAL_ANSWER


def test_a_refusal_ends_the_turn_although_calls_stood_in_it() -> None:
    said = reply("So", call(), finish=FinishReason.REFUSAL)
    skipped = ResultBody(result(call(), Status.SKIPPED, code=Code.FINISHED))
    assert ending(decide(state(said, skipped))) is StopReason.REFUSAL
    assert ending(decide(state(reply(finish=FinishReason.REFUSAL)))) is StopReason.REFUSAL


def test_cut_calls_go_back_to_the_model_however_many_there_were() -> None:
    said = reply(*calls(4), finish=FinishReason.LENGTH)
    cut = [ResultBody(result(c, Status.INVALID, "cut", Code.CUT)) for c in said.calls]
    assert isinstance(decide(state(said, *cut)), CallModel)


def test_an_empty_reply_is_nudged_twice_and_then_told() -> None:
    empty = reply()
    assert decide(state(empty)) == CallModel("the reply was empty", nudge=True)
    nudged = NoteBody("nudge", "Please answer.")
    assert decide(state(empty, nudged, empty)) == CallModel("the reply was empty", nudge=True)
    last = decide(state(empty, nudged, empty, nudged, empty))
    assert ending(last) is StopReason.MODEL_FAILURE


def test_a_reply_between_them_makes_empty_ones_count_anew() -> None:
    worked = [reply(call()), ResultBody(result(call()))]
    assert isinstance(decide(state(reply(), reply(), *worked, reply(), reply())), CallModel)


def test_a_paused_reply_goes_on_five_times() -> None:
    paused = reply("Wait", finish=FinishReason.PAUSE)
    assert isinstance(decide(state(*[paused] * 5)), CallModel)
    assert ending(decide(state(*[paused] * 6))) is StopReason.MODEL_FAILURE


def test_a_window_full_before_the_first_word_makes_room_once() -> None:
    full = reply(finish=FinishReason.WINDOW)
    assert isinstance(decide(state(full)), Compact)
    assert isinstance(decide(state(full, SummaryBody(1, "They talked."))), CallModel)


def test_a_question_ends_the_turn_when_the_round_is_settled() -> None:
    asked = call("send_message")
    assert isinstance(decide(state(reply(asked), ResultBody(result(asked)))), CallModel)
    question = ResultBody(replace(result(asked), question="Which one?"))
    assert ending(decide(state(reply(asked), question))) is StopReason.WAITING_FOR_USER
    other = call(id="call_2")
    assert isinstance(decide(state(reply(asked, other), question)), RunTools)


def test_the_third_round_with_the_same_error_stops_the_turn() -> None:
    assert isinstance(decide(state(*failing("No such file", "no  SUCH file"))), CallModel)
    stopped = decide(state(*failing("No such file", "no  SUCH file", "No such file\n")))
    assert ending(stopped) is StopReason.TOOL_FAILURE_POLICY
    assert isinstance(decide(state(*failing("One", "Two", "One", "Two"))), CallModel)


def test_the_same_error_is_seen_behind_a_success_of_its_round() -> None:
    bodies: list[Body] = []
    for n in range(3):
        bad, good = call(id=f"b{n}"), call("list_files", f"g{n}")
        failed = result(bad, Status.FAILED, "No such file", Code.ERROR)
        bodies += [reply(bad, good), ResultBody(failed), ResultBody(result(good))]
    assert ending(decide(state(*bodies))) is StopReason.TOOL_FAILURE_POLICY


def test_errors_of_one_reply_count_once() -> None:
    many = calls(4)
    failed = [ResultBody(result(c, Status.FAILED, "No such file", Code.ERROR)) for c in many]
    assert isinstance(decide(state(reply(*many), *failed)), CallModel)


# Bounds


@pytest.mark.parametrize(
    ("rounds", "kind"), [(0, CallModel), (59, CallModel), (60, WrapUp), (79, WrapUp), (80, Finish)]
)
def test_rounds_are_bounded_softly_and_then_hard(rounds: int, kind: type[Step]) -> None:
    assert isinstance(decide(state(rounds=rounds)), kind)


def test_a_wrap_up_that_brings_calls_ends_the_turn() -> None:
    said = ReplyBody(reply(call()).parts, FinishReason.CALLS, reply().provenance, wrap_up=True)
    step = decide(state(said, rounds=13))
    assert isinstance(step, RunTools)
    assert step.close[0][1].code is Code.LIMIT
    skipped = ResultBody(result(call(), Status.SKIPPED, code=Code.LIMIT))
    assert ending(decide(state(said, skipped, rounds=13))) is StopReason.MAX_ROUNDS


def test_a_full_window_is_cut_before_the_next_request() -> None:
    assert isinstance(decide(state(fill=0.9)), Compact)
    assert isinstance(decide(state(fill=0.89)), CallModel)
    assert isinstance(decide(state(overflow=True)), Compact)


def test_a_request_that_stays_too_long_after_two_cuts_ends_the_turn() -> None:
    cuts = [SummaryBody(1, "They talked.")] * 2
    assert ending(decide(state(*cuts, overflow=True))) is StopReason.MODEL_FAILURE
    assert isinstance(decide(state(*cuts, fill=0.95)), CallModel)


def test_a_view_with_nothing_left_to_cut_is_sent_as_it_is() -> None:
    assert isinstance(decide(replace(state(fill=0.95), packed=True)), CallModel)
    assert isinstance(decide(replace(state(overflow=True), packed=True)), Compact)


def test_a_turn_whose_own_results_were_shrunk_wraps_up() -> None:
    done = [reply(call()), ResultBody(result(call()))]
    assert isinstance(decide(state(*done, CutBody((3,), 2_000))), WrapUp)


def test_a_turn_ends_only_when_it_fails_after_its_last_rest() -> None:
    assert isinstance(decide(state(attempts=3)), CallModel)
    assert isinstance(decide(state(attempts=6, rests=4)), CallModel)
    assert ending(decide(state(attempts=7, rests=4))) is StopReason.INTERNAL_FAILURE


def test_a_turn_rests_after_three_failed_starts_and_longer_after_each_failed_trial() -> None:
    limits = Limits()
    rests = [rest_due(turn(attempts=3 + n, rests=n), limits) for n in range(5)]
    assert rests == [*(timedelta(minutes=n) for n in (1, 5, 15, 60)), None]
    assert rest_due(turn(attempts=2), limits) is None
    assert rest_due(turn(attempts=3, rests=1), limits) is None
    assert rest_due(turn(attempts=3, stop_asked="Ann by /stop"), limits) is None
