"""Goals and diaries in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.domain.assignments.goal import OVER, DiaryEntry, Goal, GoalState
from bot.domain.assignments.task import TaskState, TimedTask
from bot.domain.change import AddDiary, AddGoalTurn, AdoptTask, DropGoal, HoldGoalTasks, SaveGoal
from bot.domain.money.money import Nano
from bot.domain.talk.errors import Conflict

if TYPE_CHECKING:
    from tests.fakes.store_rows import Rows

GoalWrite = SaveGoal | DropGoal | AddDiary | AddGoalTurn | HoldGoalTasks | AdoptTask


@dataclass(frozen=True, slots=True)
class MemoryGoals:
    rows: "Rows"

    async def get(self, goal: str) -> Goal | None:
        return self.rows.goals.get(goal)

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[Goal]:
        lost = set(self.rows.people) - set(self.rows.accounts.values())
        found = [one for one in self._newest() if one.chat == chat and one.asker not in lost]
        return found[skip : skip + limit]

    async def of_person(self, person: int) -> Sequence[Goal]:
        return [one for one in self._newest() if one.asker == person]

    async def of_turn(self, turn: str) -> Goal | None:
        id = self.rows.goal_turns.get(turn)
        if id is None:
            owners = (one.task for one in self.rows.runs.values() if one.turn == turn)
            id = next((self.rows.tasks[task].goal for task in owners), None)
        return None if id is None else self.rows.goals.get(id)

    async def diary(self, goal: str, limit: int, skip: int = 0) -> Sequence[DiaryEntry]:
        own = (one for one in self.rows.diary.values() if one.goal == goal)
        return sorted(own, key=lambda one: (one.at, one.id), reverse=True)[skip : skip + limit]

    async def count(self, state: GoalState) -> int:
        return sum(one.state is state for one in self.rows.goals.values())

    async def spent(self, goal: str) -> Nano:
        turns = {turn for turn, of in self.rows.goal_turns.items() if of == goal}
        return sum(u.cost or 0 for u in self.rows.usage.values() if u.cause.turn in turns)

    async def tasks(self, goal: str) -> Sequence[TimedTask]:
        own = (one for one in self.rows.tasks.values() if one.goal == goal)
        return sorted(own, key=lambda one: (one.created_at, one.id))

    def _newest(self) -> Sequence[Goal]:
        known = sorted(self.rows.goals.values(), key=lambda one: one.id)
        return sorted(known, key=lambda one: one.created_at, reverse=True)


def write_goal(rows: "Rows", write: GoalWrite) -> None:  # one case for each kind
    """Carries out a write about goals."""
    match write:
        case SaveGoal(goal, expect):
            known = rows.goals.get(goal.id)
            if (None if known is None else known.version) != expect:
                raise Conflict(f"goal {goal.id} is not at version {expect}")
            rows.goals[goal.id] = goal
        case DropGoal(id):
            drop_goal(rows, id)
        case AddDiary(entry):
            if entry.goal in rows.goals:
                rows.diary.setdefault(entry.id, entry)
        case AddGoalTurn(goal, turn):
            if goal in rows.goals:
                rows.goal_turns.setdefault(turn, goal)
        case HoldGoalTasks(goal, state, why):
            for one in [task for task in rows.tasks.values() if task.goal == goal]:
                if one.state is not TaskState.DONE:
                    rows.tasks[one.id] = one.changed(state=state, why=why)
        case AdoptTask(task, goal):
            if goal in rows.goals and task in rows.tasks:
                rows.tasks[task] = replace(rows.tasks[task], goal=goal)


def drop_goal(rows: "Rows", id: str) -> None:
    """Removes a goal with everything that belongs to it."""
    tasks = {one.id for one in rows.tasks.values() if one.goal == id}
    rows.runs = {key: run for key, run in rows.runs.items() if run.task not in tasks}
    rows.tasks = {key: task for key, task in rows.tasks.items() if key not in tasks}
    rows.diary = {key: one for key, one in rows.diary.items() if one.goal != id}
    rows.goal_turns = {turn: of for turn, of in rows.goal_turns.items() if of != id}
    rows.goals.pop(id, None)


def erase_goals(rows: "Rows", turns: set[str], chats: Sequence[int], *, everything: bool) -> None:
    """Removes what these turns wrote; with `everything` also goals that do not go on."""
    rows.diary = {key: one for key, one in rows.diary.items() if one.turn not in turns}
    for goal in [one for one in rows.goals.values() if everything and one.chat in chats]:
        if goal.state in (*OVER, GoalState.PROPOSED):
            drop_goal(rows, goal.id)
        rows.diary = {key: one for key, one in rows.diary.items() if one.goal != goal.id}
