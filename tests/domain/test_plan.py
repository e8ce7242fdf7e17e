"""Plans: which way they may go, and what a call and its result mean for a step."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.plans.plan import (
    LIVE,
    PlanState,
    StepState,
    after_results,
    bounds,
    matched,
    may_move,
    plan_for,
    plan_of_card,
)
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code, Status, ToolCall, ToolResult
from tests.domain.logs import NOON, call, result, turn
from tests.domain.plans import a_plan, a_step

states = st.sampled_from(PlanState)
calls = st.builds(
    lambda id, name, n: call(name, id, n=n),
    st.uuids().map(str),
    st.sampled_from(["write", "run"]),
    st.integers(0, 1),
)


@given(st.lists(states, max_size=12))
def test_every_way_a_plan_can_go_ends_and_never_goes_on(wanted: list[PlanState]) -> None:
    plan = a_plan()
    for state in wanted:
        if not may_move(plan.state, state):
            with pytest.raises(ValueError, match="does not go"):
                plan.in_state(state)
            continue
        before, plan = plan, plan.in_state(state)
        assert before.live
        assert plan.version == before.version + 1
    assert plan.live == (plan.state in LIVE)
    if not plan.live:
        assert not any(may_move(plan.state, state) for state in PlanState)


@given(states, states)
def test_nothing_is_executed_that_was_not_approved(old: PlanState, new: PlanState) -> None:
    if may_move(old, new):
        assert new is not PlanState.EXECUTING or old is PlanState.APPROVED
        assert new is not PlanState.APPROVED or old is PlanState.READY
        assert new is not PlanState.READY or old is PlanState.COLLECTING


@given(st.lists(calls, max_size=6), st.lists(calls, max_size=8, unique_by=lambda c: c.id))
def test_a_step_stands_for_one_call_that_is_literally_its_own(
    planned: list[ToolCall], made: list[ToolCall]
) -> None:
    plan = a_plan(*planned, state=PlanState.EXECUTING)
    found = matched(plan, made)
    assert len({step.number for step in found.values()}) == len(found)
    for each in made:
        if each.id in found:
            assert found[each.id].is_for(each)
        else:
            same = [s for s in plan.steps if s.is_for(each)]
            taken = [s for s in found.values() if s.is_for(each)]
            assert len(taken) == len(same), "it was left out though a step was free"


@given(
    st.lists(calls, min_size=1, max_size=5),
    st.data(),
)
def test_however_results_come_each_step_is_settled_once_and_the_sum_is_true(
    planned: list[ToolCall], data: st.DataObject
) -> None:
    plan = a_plan(*planned, state=PlanState.EXECUTING)
    ran = 0
    for n in range(len(planned) * 2):
        one = data.draw(st.sampled_from(planned))
        made = replace(one, id=f"c{n}")
        status = data.draw(st.sampled_from([Status.SUCCESS, Status.FAILED, Status.SKIPPED]))
        told = after_results(plan, matched(plan, [made]), [result(made, status)])
        if told is None:
            continue
        changed = [s for s, old in zip(told.steps, plan.steps, strict=True) if s != old]
        assert [s.call for s in changed] == [made.id]
        assert all(
            old.state is StepState.OPEN
            for s, old in zip(told.steps, plan.steps, strict=True)
            if s != old
        )
        plan, ran = told, ran + 1
    ended = plan.ended(NOON)
    done = all(s.state is StepState.DONE for s in plan.steps)
    expected = PlanState.DONE if done else PlanState.PARTLY_DONE if ran else PlanState.CANCELLED
    assert ended.state is expected


@pytest.mark.parametrize(
    ("status", "code", "synthetic", "state"),
    [
        (Status.SUCCESS, None, False, StepState.DONE),
        (Status.FAILED, Code.ERROR, False, StepState.FAILED),
        (Status.TIMEOUT, None, False, StepState.FAILED),
        (Status.FAILED, Code.OUTCOME_UNKNOWN, True, StepState.FAILED),
        (Status.INVALID, Code.UNKNOWN_TOOL, True, StepState.FAILED),
        (Status.INVALID, Code.CUT, True, StepState.OPEN),
        (Status.BLOCKED, Code.POLICY, True, StepState.FAILED),
        (Status.BLOCKED, Code.DENIED, True, StepState.SKIPPED),
        (Status.BLOCKED, Code.EXPIRED, True, StepState.OPEN),
        (Status.SKIPPED, Code.LIMIT, True, StepState.OPEN),
        (Status.SKIPPED, Code.CANCELLED, True, StepState.OPEN),
    ],
)
def test_what_a_result_makes_of_its_step(
    status: Status, code: Code | None, synthetic: bool, state: StepState
) -> None:
    one = call("write")
    plan = a_plan(one, state=PlanState.EXECUTING)
    told = ToolResult(one.id, one.name, status, "so it went", code, synthetic=synthetic)
    after = after_results(plan, matched(plan, [one]), [told]) or plan
    assert after.steps[0].state is state
    ran = not synthetic or code is Code.OUTCOME_UNKNOWN
    assert bool(after.steps[0].call) == ran
    if code is Code.OUTCOME_UNKNOWN:
        assert after.steps[0].outcome.startswith("outcome unknown")


def test_a_turn_works_on_the_plan_it_was_made_for_or_that_its_asker_collects() -> None:
    collecting = a_plan(since=NOON)
    assert plan_for(turn(), collecting) is collecting
    assert plan_for(turn(), a_plan(collector=2)) is None
    assert plan_for(turn(), a_plan(since=NOON + timedelta(seconds=1))) is None
    assert plan_for(turn(origin="continuation"), collecting) is None
    running = a_plan(state=PlanState.EXECUTING, turn="t9")
    assert plan_for(turn("t9", origin="plan"), running) is running
    assert plan_for(turn(), running) is None
    assert plan_for(turn("t9"), replace(running, state=PlanState.DONE)) is None
    assert plan_for(turn(), a_plan(state=PlanState.READY)) is None


def test_the_limits_of_an_execution_follow_the_steps_open_at_its_start() -> None:
    limits = Limits()
    plan = a_plan(*(call("write", n=n) for n in range(5)), state=PlanState.EXECUTING)
    told = bounds(plan, limits, ())
    assert (told.soft_rounds, told.max_rounds, told.calls_per_turn) == (13, 21, 30)
    done = replace(plan.steps[0], state=StepState.DONE, call="c1")
    further = replace(plan, steps=(done, *plan.steps[1:]))
    assert bounds(further, limits, {"c1"}) == told
    assert bounds(further, limits, ()).soft_rounds == 12
    assert bounds(None, limits, ()) is limits


def test_a_recorded_step_gives_its_round_back() -> None:
    limits = Limits()
    plan = a_plan(*(call("write", n=n) for n in range(9)))
    assert bounds(plan, limits, ()).soft_rounds == limits.soft_rounds + 9


def test_a_new_revision_has_no_steps_and_its_card_another_key() -> None:
    ready = a_plan(call("write"), state=PlanState.READY, owner_chats=(5,))
    again = ready.recollected(2, NOON)
    assert (again.state, again.steps, again.revision) == (PlanState.COLLECTING, (), 2)
    assert (again.collector, again.asker, again.chats) == (2, 1, (1,))
    assert plan_of_card(again.key_in(1)) == plan_of_card(ready.key_in(5)) == "p1"
    assert len({again.key_in(1), ready.key_in(1), ready.key_in(5)}) == 3
    assert plan_of_card("card:abc") is None


def test_only_a_failed_step_of_an_execution_keeps_it_waiting() -> None:
    failed = a_step(1, call("write"), state=StepState.FAILED)
    assert a_plan(steps=[failed], state=PlanState.EXECUTING).failed_step == failed
    assert a_plan(steps=[failed], state=PlanState.CANCELLED).failed_step is None
