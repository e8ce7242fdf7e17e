"""Ends the tasks of a goal, and stops its runs."""

from datetime import datetime

from bot.domain.assignments.goal import Goal
from bot.domain.assignments.task import AT_WORK, RunState, TaskState
from bot.domain.change import AskStop, HoldGoalTasks, Write
from bot.ports.goals import GoalCosts
from bot.ports.scheduled import TaskRows

GOAL_OVER = "its goal is over"
"""The text of `stop_asked` of a run whose goal is over."""


async def stopped(
    goal: Goal, goals: GoalCosts, scheduled: TaskRows, now: datetime, besides: str = ""
) -> tuple[Write, ...]:
    """Returns the writes that end the tasks of a goal and stop its runs but for one turn."""
    stops: list[Write] = []
    for task in await goals.tasks(goal.id):
        for run in await scheduled.runs(task.id, now):
            if run.state in (*AT_WORK, RunState.WAITING) and run.turn != besides:
                stops.append(AskStop(run.turn, GOAL_OVER))
    return (HoldGoalTasks(goal.id, TaskState.DONE, ""), *stops)
