"""Goals: their pace, the state that people see, their bounds, and what opens a run."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.assignments.goal import (
    OVER,
    DiaryEntry,
    DiaryKind,
    Goal,
    GoalCondition,
    GoalPace,
    GoalState,
    condition,
    goal_id,
    opening,
    put_off,
    reflection_of,
)
from bot.domain.assignments.task import TaskState, TimedTask
from bot.domain.clock.when import next_time
from bot.domain.turn.mandate import PERSONAL

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
MOMENTS = st.integers(0, 2 * 365 * 86_400).map(lambda s: NOON + timedelta(seconds=s))
PACES = st.sampled_from(GoalPace)
ENTRIES = st.lists(
    st.builds(
        DiaryEntry,
        id=st.uuids().map(str),
        goal=st.just("g"),
        at=MOMENTS,
        kind=st.sampled_from(DiaryKind),
        text=st.text(max_size=600),
    ),
    max_size=30,
    unique_by=lambda one: one.id,
)


def a_goal(pace: GoalPace = GoalPace.DAILY, until: datetime = NOON) -> Goal:
    state = GoalState.ACTIVE
    return Goal("g", 1, 1, "Ann", "Learn to sail", pace, None, 100, until, NOON, state)


def paced(goal: Goal, due: datetime | None, state: TaskState = TaskState.ACTIVE) -> TimedTask:
    return TimedTask(
        "g",
        1,
        1,
        1,
        "Ann",
        goal.text,
        goal.pace.said,
        goal.pace.rule(NOON),
        "UTC",
        NOON,
        due,
        NOON,
        PERSONAL,
        state,
        goal="g",
    )


def _no_walls(*_: object) -> None:
    raise AssertionError("a pace is no cron rule")


@given(PACES, MOMENTS, MOMENTS)
def test_the_times_of_a_pace_are_one_step_apart(
    pace: GoalPace, start: datetime, after: datetime
) -> None:
    rule = pace.rule(start)
    first = next_time(rule, "UTC", after, _no_walls)
    assert first is not None
    assert first > max(after, start)
    assert next_time(rule, "UTC", first, _no_walls) == first + pace.step


@given(PACES, MOMENTS, MOMENTS, MOMENTS, st.one_of(st.none(), MOMENTS))
def test_a_run_is_put_off_and_never_brought_forward(
    pace: GoalPace, now: datetime, wanted: datetime, until: datetime, due: datetime | None
) -> None:
    goal = a_goal(pace, until)
    soonest = min(due or now + pace.step, now + pace.step)
    task = put_off(goal, paced(goal, due), wanted, now)
    assert task.due is not None
    assert task.due >= soonest
    assert task.due <= max(soonest, until)
    if soonest <= wanted <= until:
        assert task.due == wanted
    again = next_time(task.rule, "UTC", task.due, _no_walls)
    assert again == task.due + pace.step, "the run after it keeps its distance"
    resumed = next_time(task.rule, "UTC", task.due - timedelta(seconds=1), _no_walls)
    assert resumed == task.due, "planned again, it is the same"


@given(st.integers(0, 700 * 24), st.sampled_from([GoalPace.DAILY, GoalPace.WEEKLY]))
def test_a_time_that_was_put_off_keeps_its_hour_when_clocks_change(
    hours: int, pace: GoalPace
) -> None:
    berlin, at = ZoneInfo("Europe/Berlin"), NOON + timedelta(hours=hours)
    goal = a_goal(pace, at + timedelta(days=900))
    task = put_off(goal, replace(paced(goal, None), zone=berlin.key), at, at - timedelta(days=8))
    assert task.due == at
    again = next_time(task.rule, berlin.key, at, _no_walls)
    assert again is not None
    here, there = at.astimezone(berlin), again.astimezone(berlin)
    skipped = here.hour in (2, 3)  # the hours in which clocks change
    assert skipped or here.time() == there.time()
    assert (there.date() - here.date()) == pace.step or skipped


@given(st.sampled_from(GoalState), st.one_of(st.none(), st.sampled_from(TaskState)))
def test_the_state_that_people_see_is_the_goals_own_unless_it_is_active(
    state: GoalState, of_task: TaskState | None
) -> None:
    goal = replace(a_goal(), state=state)
    task = None if of_task is None else paced(goal, NOON, of_task)
    seen = condition(goal, task)
    if state is not GoalState.ACTIVE:
        assert seen.name == state.name
    else:
        active = of_task is TaskState.ACTIVE
        assert seen is (GoalCondition.ACTIVE if active else GoalCondition.PAUSED)
    assert goal.over == (seen in (GoalCondition.DONE, GoalCondition.GIVEN_UP)) == (state in OVER)


@given(st.integers(0, 300), MOMENTS, MOMENTS)
def test_a_goal_is_exhausted_exactly_at_its_bounds(
    spent: int, now: datetime, until: datetime
) -> None:
    goal = a_goal(until=until)
    assert bool(goal.exhausted(spent, now)) == (spent >= 100 or now >= until)
    assert bool(replace(goal, budget=None).exhausted(spent, now)) == (now >= until)


@given(ENTRIES, st.integers(20, 2_000))
def test_what_opens_a_run_fits_is_in_order_and_begins_with_the_newest(
    entries: list[DiaryEntry], tokens: int
) -> None:
    newest = sorted(entries, key=lambda one: (one.at, one.id), reverse=True)
    chosen = opening(newest, tokens)
    assert sum(len(one.text.encode(errors="replace")) for one in chosen) <= tokens * 3
    assert list(chosen) == sorted(chosen, key=lambda one: (one.at, one.id))
    ids = {one.id for one in chosen}
    assert len(ids) == len(chosen)
    for kind in (DiaryKind.REFLECTION, DiaryKind.ANSWER)[: 1 if tokens < 50 else 2]:
        first = next((one for one in newest if one.kind is kind), None)
        if first is not None and tokens * 3 > 2 * 640 + 80:
            assert first.id in ids
    room = tokens * 3 - sum(40 + len(one.text.encode(errors="replace")) for one in newest)
    if room > 40:
        assert list(chosen) == newest[::-1], "all of them, whole"


def test_a_long_entry_is_cut_within_its_letters() -> None:
    entry = DiaryEntry("e", "g", NOON, DiaryKind.NOTE, "ü" * 1_000)
    (told,) = opening([entry], 100)
    assert told.text.rstrip("…") == "ü" * (len(told.text) - 1)
    assert len(told.text.encode()) <= 300


@pytest.mark.parametrize(("pace", "hours"), [("hourly", 1), ("daily", 24), ("weekly", 168)])
def test_every_pace_has_its_step_and_its_words(pace: str, hours: int) -> None:
    assert GoalPace(pace).step == timedelta(hours=hours)
    assert GoalPace(pace).said.startswith("every ")


def test_ids_are_the_same_on_every_process() -> None:
    assert goal_id(7) == goal_id(7) != goal_id(8)
    assert reflection_of("g", "t") == reflection_of("g", "t") != reflection_of("g", "u")
