"""A goal that somebody works towards over days: its row, its diary, its pace and its ends."""

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from bot.domain.assignments.task import LONGEST_NAME, TaskState, TimedTask
from bot.domain.clock.when import Every, EveryDays, Rule
from bot.domain.money.money import Nano, told
from bot.domain.text.visible_text import clipped
from bot.domain.value import frozen, replace

GOAL_UPDATE, DIARY_WRITE = "goal_update", "diary_write"
GOAL_TOOLS = frozenset({GOAL_UPDATE, DIARY_WRITE})

MOST_GOALS = 20
"""Goals of one person that are not over."""

MOST_TEXT = 2_000
"""Characters of a goal."""

MOST_ENTRY = 2_000
"""Characters of an entry in a diary, and of a milestone or a question."""

MOST_ENTRIES = 8
"""Entries that one run may write into the diary, and milestones that it may tell."""

_PREFIX = "reflection-"
_BYTES_A_TOKEN = 3
"""A careful estimate, as for recalled passages."""

_LINE = 40
"""Bytes of what stands around an entry."""


class GoalState(StrEnum):
    """The state of a goal; whether it is paused is told by its tasks."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    STUCK = "stuck"
    DONE = "done"
    GIVEN_UP = "given_up"


OVER = frozenset({GoalState.DONE, GoalState.GIVEN_UP})


class GoalPace(StrEnum):
    """The time between two runs: a run may put the next one off, and never bring it forward."""

    HOURLY = "hourly"
    DAILY = "daily"
    WEEKLY = "weekly"

    @property
    def said(self) -> str:
        return {"hourly": "every hour", "daily": "every day", "weekly": "every week"}[self]

    @property
    def step(self) -> timedelta:
        hours = {"hourly": 1, "daily": 24, "weekly": 168}
        return timedelta(hours=hours[self])

    def rule(self, start: datetime) -> Rule:
        """Returns the times after the first one, which is the start."""
        if self is GoalPace.HOURLY:
            return Every(3_600, start)
        return EveryDays(1 if self is GoalPace.DAILY else 7, start)


@frozen
class Goal:
    """Something that shall be reached, in the name of the person who asked for it."""

    id: str
    """Names the goal, and the task that gives it its pace; people type it."""
    chat: int
    """The chat in which it was asked for, and where it is told of."""
    asker: int
    """The person who asked for it."""
    asker_name: str
    """The name of that person."""
    text: str
    """The words of the person."""
    pace: GoalPace
    """The time between two runs."""
    a_day: Nano | None
    """The money that its runs may cost in a day; None means no bound."""
    budget: Nano | None
    """The money that it may cost in all; None means no bound."""
    until: datetime
    """The end of its time."""
    created_at: datetime
    """The time it was asked for."""
    state: GoalState = GoalState.PROPOSED
    """The stage of its life."""
    question: str = ""
    """The key of the message that asks its newest question."""
    version: int = 1
    """Grows with every write."""

    @property
    def name(self) -> str:
        """Returns the first words, as people see them in lists."""
        return clipped(" ".join(self.text.split()), LONGEST_NAME)

    @property
    def over(self) -> bool:
        """Returns True when no run of it does anything any more."""
        return self.state in OVER

    def changed(self, **changes: Any) -> "Goal":
        """Returns the next version of the goal."""
        return replace(self, version=self.version + 1, **changes)

    def exhausted(self, spent: Nano, now: datetime) -> str:
        """Returns the bound that keeps it from going on; empty when none does."""
        if self.budget is not None and spent >= self.budget:
            return f"its budget of {told(self.budget)} is used up"
        return "its time is over" if now >= self.until else ""


class DiaryKind(StrEnum):
    """The kind of an entry: the answer is a person's, everything else a model wrote."""

    NOTE = "note"
    RESULT = "result"
    MILESTONE = "milestone"
    QUESTION = "question"
    ANSWER = "answer"
    REFLECTION = "reflection"


@frozen
class DiaryEntry:
    """An entry in the diary of a goal; it is never changed."""

    id: str
    """Derived from what wrote it, so that it exists once."""
    goal: str
    at: datetime
    kind: DiaryKind
    text: str
    turn: str = ""
    """The turn that wrote it; empty when a person did."""
    untrusted: str | None = None
    """The foreign content that was in view when it was written."""


class GoalCondition(StrEnum):
    """The state of a goal as people see it."""

    PROPOSED = "waits for Start"
    ACTIVE = "active"
    PAUSED = "paused"
    STUCK = "stuck, waits for your answer"
    DONE = "done"
    GIVEN_UP = "given up"


def condition(goal: Goal, paced_by: TimedTask | None) -> GoalCondition:
    """Returns the state of a goal: its own, and for an active one that of its task."""
    if goal.state is not GoalState.ACTIVE:
        return GoalCondition[goal.state.name]
    going = paced_by is not None and paced_by.state is TaskState.ACTIVE
    return GoalCondition.ACTIVE if going else GoalCondition.PAUSED


def put_off(goal: Goal, task: TimedTask, wanted: datetime, now: datetime) -> TimedTask:
    """Returns the goal's task with its next time put off, within the pace and the goal's time."""
    soonest = min(task.due or now + goal.pace.step, now + goal.pace.step)
    at = max(soonest, min(wanted, goal.until))
    # Times are counted so that they meet this one, and the run after it keeps its distance.
    before = at - goal.pace.step
    if goal.pace is not GoalPace.HOURLY:
        before = (at.astimezone(ZoneInfo(task.zone)) - goal.pace.step).astimezone(UTC)
    return task.changed(due=at, rule=goal.pace.rule(before), planned_at=now)


def opening(newest_first: Sequence[DiaryEntry], tokens: int) -> Sequence[DiaryEntry]:
    """Returns the entries that open a run, the oldest first, in at most so many tokens.

    The newest reflection and the newest answer come before others; a long one is cut.
    """
    room = tokens * _BYTES_A_TOKEN
    chosen: dict[str, DiaryEntry] = {}
    for entry in (*_first(newest_first), *newest_first):
        if entry.id in chosen or room <= _LINE:
            continue
        text = _fitting(entry.text, room - _LINE)
        chosen[entry.id] = entry if text == entry.text else replace(entry, text=text)
        room -= _LINE + len(text.encode(errors="replace"))
    return sorted(chosen.values(), key=lambda one: (one.at, one.id))


def _first(entries: Sequence[DiaryEntry]) -> Sequence[DiaryEntry]:
    kinds = (DiaryKind.REFLECTION, DiaryKind.ANSWER)
    found = (next((one for one in entries if one.kind is kind), None) for kind in kinds)
    return [one for one in found if one is not None]


def _fitting(text: str, room: int) -> str:
    raw = text.encode(errors="replace")
    if len(raw) <= room:
        return text
    return f"{raw[: max(room - 4, 0)].decode(errors='ignore')}…"


def reflection_of(goal: str, run: str) -> str:
    """Returns the id of the turn that reflects on a failed run: the same on every process."""
    return f"{_PREFIX}{hashlib.sha256(f'{goal} {run}'.encode()).hexdigest()[:16]}"


def goal_id(row: int) -> str:
    """Returns the id of the goal that a command asks for: the same when it is carried out again."""
    return hashlib.sha256(f"goal {row}".encode()).hexdigest()[:8]
