"""Goals, their diaries, and what their turns cost."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Connection, bindparam, delete, func, or_, select, update

from bot.adapters.sql.access import lost_access
from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import diary, goal, goal_turn, run, task, usage
from bot.adapters.sql.upsert import Upsert
from bot.domain.assignments.goal import OVER, DiaryEntry, Goal, GoalState
from bot.domain.assignments.task import TaskState, TimedTask
from bot.domain.change import AddDiary, AddGoalTurn, AdoptTask, DropGoal, HoldGoalTasks, SaveGoal
from bot.domain.money.money import Nano
from bot.domain.talk.errors import Conflict

_OF = bindparam("of")
_MOST = bindparam("most")
_SKIP = bindparam("skip")
_GOALS = select(*columns(goal, Goal))
_BY_ID = _GOALS.where(goal.c.id == _OF)
_AGE = (goal.c.created_at.desc(), goal.c.id)
_OF_CHAT = (
    _GOALS.where(goal.c.chat == _OF, ~lost_access(goal.c.asker))
    .order_by(*_AGE)
    .limit(_MOST)
    .offset(_SKIP)
)
_OF_PERSON = _GOALS.where(goal.c.asker == _OF).order_by(*_AGE)
_OF_TURN = _GOALS.where(
    or_(
        goal.c.id.in_(select(goal_turn.c.goal).where(goal_turn.c.turn == _OF)),
        goal.c.id.in_(
            select(task.c.goal).join(run, run.c.task == task.c.id).where(run.c.turn == _OF)
        ),
    )
)
_DIARY = (
    select(*columns(diary, DiaryEntry))
    .where(diary.c.goal == _OF)
    .order_by(diary.c.at.desc(), diary.c.id.desc())
    .limit(_MOST)
    .offset(_SKIP)
)
_SPENT = (
    select(func.coalesce(func.sum(usage.c.cost), 0))
    .join_from(usage, goal_turn, goal_turn.c.turn == usage.c.turn)
    .where(goal_turn.c.goal == _OF)
)
_COUNT = select(func.count()).select_from(goal).where(goal.c.state == _OF)
_TASKS = (
    select(*columns(task, TimedTask))
    .where(task.c.goal == _OF)
    .order_by(task.c.created_at, task.c.id)
)
_IS_THERE = select(goal.c.id).where(goal.c.id == _OF)
_ADD = Upsert(goal, ["id"])
_KNOWN = tuple(name for name in names(Goal) if name != "id")
_MOVE = update(goal).where(goal.c.id == _OF, goal.c.version == bindparam("expect"))
_ADD_ENTRY = Upsert(diary, ["id"])
_ADD_TURN = Upsert(goal_turn, ["turn"])
_ADOPT = update(task).where(task.c.id == _OF).values(goal=bindparam("by"))
_HOLD = (
    update(task)
    .where(task.c.goal == _OF, task.c.state != TaskState.DONE)
    .values(state=bindparam("held"), why=bindparam("reason"), version=task.c.version + 1)
)


class SqlGoals(Reads):
    async def get(self, goal: str) -> Goal | None:
        return await self._one(Goal, _BY_ID, of=goal)

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[Goal]:
        return await self._all(Goal, _OF_CHAT, of=chat, most=limit, skip=skip)

    async def of_person(self, person: int) -> Sequence[Goal]:
        return await self._all(Goal, _OF_PERSON, of=person)

    async def of_turn(self, turn: str) -> Goal | None:
        return await self._one(Goal, _OF_TURN, of=turn)

    async def diary(self, goal: str, limit: int, skip: int = 0) -> Sequence[DiaryEntry]:
        return await self._all(DiaryEntry, _DIARY, of=goal, most=limit, skip=skip)

    async def count(self, state: GoalState) -> int:
        return int(await self._scalar(_COUNT, of=state))

    async def spent(self, goal: str) -> Nano:
        return int(await self._scalar(_SPENT, of=goal))

    async def tasks(self, goal: str) -> Sequence[TimedTask]:
        return await self._all(TimedTask, _TASKS, of=goal)


def save_goals(connection: Connection, writes: Sequence[SaveGoal], _at: datetime) -> None:
    for write in writes:
        if write.expect is None:
            if not _ADD.run(connection, values(write.goal, names(Goal))):
                raise Conflict(f"goal {write.goal.id} is there already")
            continue
        wanted = {"of": write.goal.id, "expect": write.expect}
        moved = _MOVE.values(**values(write.goal, _KNOWN))
        if not connection.execute(moved, wanted).rowcount:
            raise Conflict(f"goal {write.goal.id} is not at version {write.expect}")


def drop_goals(connection: Connection, writes: Sequence[DropGoal], _at: datetime) -> None:
    _drop(connection, [write.id for write in writes])


def add_diary(connection: Connection, writes: Sequence[AddDiary], _at: datetime) -> None:
    for write in writes:
        if connection.execute(_IS_THERE, {"of": write.entry.goal}).first() is not None:
            _ADD_ENTRY.run(connection, values(write.entry, names(DiaryEntry)))


def add_goal_turns(connection: Connection, writes: Sequence[AddGoalTurn], _at: datetime) -> None:
    for write in writes:
        if connection.execute(_IS_THERE, {"of": write.goal}).first() is not None:
            _ADD_TURN.run(connection, {"turn": write.turn, "goal": write.goal})


def hold_tasks(connection: Connection, writes: Sequence[HoldGoalTasks], _at: datetime) -> None:
    for write in writes:
        wanted = {"of": write.goal, "held": write.state, "reason": write.why}
        connection.execute(_HOLD, wanted)


def adopt_tasks(connection: Connection, writes: Sequence[AdoptTask], _at: datetime) -> None:
    for write in writes:
        if connection.execute(_IS_THERE, {"of": write.goal}).first() is not None:
            connection.execute(_ADOPT, {"of": write.task, "by": write.goal})


def erase_goals(connection: Connection, chats: Collection[int]) -> None:
    """Removes the goals of these chats that do not go on, and the diaries of those that do."""
    ended = (*OVER, GoalState.PROPOSED)
    over = select(goal.c.id).where(goal.c.chat.in_(chats), goal.c.state.in_(ended))
    _drop(connection, list(connection.execute(over).scalars()))
    live = select(goal.c.id).where(goal.c.chat.in_(chats))
    connection.execute(delete(diary).where(diary.c.goal.in_(live)))


def _drop(connection: Connection, ids: Collection[str]) -> None:
    own = select(task.c.id).where(task.c.goal.in_(ids))
    connection.execute(delete(run).where(run.c.task.in_(own)))
    connection.execute(delete(task).where(task.c.goal.in_(ids)))
    for table in (diary, goal_turn):
        connection.execute(delete(table).where(table.c.goal.in_(ids)))
    connection.execute(delete(goal).where(goal.c.id.in_(ids)))
