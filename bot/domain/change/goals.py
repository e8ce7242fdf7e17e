"""Writes of goals, their diaries and what belongs to them."""

from typing import TypeAlias

from bot.domain.assignments.goal import DiaryEntry, Goal
from bot.domain.assignments.task import TaskState
from bot.domain.value import frozen


@frozen
class SaveGoal:
    """Writes a goal; Conflict unless the stored version is `expect`, or there is none."""

    goal: Goal
    expect: int | None = None


@frozen
class DropGoal:
    """Removes a goal with its diary, and the tasks that belong to it with their runs."""

    id: str


@frozen
class AddDiary:
    """Adds an entry to a diary; nothing when it is there, or when its goal was removed."""

    entry: DiaryEntry


@frozen
class AddGoalTurn:
    """Notes that a turn works for a goal, so that its cost counts there."""

    goal: str
    turn: str


@frozen
class HoldGoalTasks:
    """Pauses or ends every task of a goal that has not ended."""

    goal: str
    state: TaskState
    why: str


@frozen
class AdoptTask:
    """Lets a task belong to a goal."""

    task: str
    goal: str


GoalWrite: TypeAlias = SaveGoal | DropGoal | AddDiary | AddGoalTurn | HoldGoalTasks | AdoptTask
