"""Tasks, and the runs of their due times."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Connection,
    and_,
    bindparam,
    delete,
    exists,
    func,
    literal,
    or_,
    select,
    union_all,
    update,
)

from bot.adapters.sql.access import lost_access
from bot.adapters.sql.columns import columns, names, values
from bot.adapters.sql.reads import Reads
from bot.adapters.sql.tables import (
    NOT_OVER,
    OPEN,
    SCHEDULED,
    TRIED_AGAIN,
    approval,
    errand,
    run,
    task,
    turn,
    usage,
)
from bot.adapters.sql.upsert import Upsert
from bot.domain.assignments.task import RunState, TaskRun, TaskState, TimedTask
from bot.domain.assignments.unwatched import LATE_UNWATCHED
from bot.domain.change import AddRun, DropRuns, DropTask, PauseTasks, SaveRun, SaveTask
from bot.domain.money.money import Nano
from bot.domain.talk.errors import Conflict

_OF = bindparam("of")
_NOW = bindparam("now")
_MOST = bindparam("most")
_TASKS = select(*columns(task, TimedTask))
_RUNS = select(*columns(run, TaskRun))
_BY_ID = _TASKS.where(task.c.id == _OF)
_OF_CHAT = (
    _TASKS.where(
        or_(task.c.chat == _OF, task.c.home == _OF),
        func.coalesce(task.c.goal, "") != task.c.id,
        ~lost_access(task.c.asker),
    )
    .order_by(task.c.created_at, task.c.id)
    .limit(_MOST)
    .offset(bindparam("skip"))
)
_OF_PERSON = _TASKS.where(task.c.asker == _OF).order_by(task.c.created_at, task.c.id)
_DUE = _TASKS.where(SCHEDULED, task.c.due <= _NOW).order_by(task.c.due, task.c.id).limit(_MOST)
_AGAIN = (
    _RUNS.where(TRIED_AGAIN, run.c.again_at <= _NOW)
    .order_by(run.c.again_at, run.c.task)
    .limit(_MOST)
)
_NEXT_DUE = select(func.min(task.c.due)).where(SCHEDULED)
_NEXT_TRY = select(func.min(run.c.again_at)).where(TRIED_AGAIN)
_AHEAD = _TASKS.where(SCHEDULED, task.c.planned_at > _NOW).order_by(task.c.id)
_RUN_OF = (
    select(*columns(run, TaskRun), *columns(task, TimedTask))
    .select_from(run.join(task, task.c.id == run.c.task))
    .where(run.c.turn == _OF)
)
_RUN_FIELDS = len(names(TaskRun))
_SINCE = _RUNS.where(run.c.task == _OF, or_(run.c.at >= _NOW, NOT_OVER)).order_by(run.c.at)
_LAST = _RUNS.where(run.c.task == _OF).order_by(run.c.at.desc(), run.c.due.desc()).limit(1)
_SPENT = select(func.coalesce(func.sum(usage.c.cost), 0)).where(
    usage.c.turn.in_(bindparam("turns", expanding=True))
)
_NAMED = bindparam("turns", expanding=True)
_OWN = select(turn.c.rounds).where(turn.c.id.in_(_NAMED))
_OF_ERRANDS = select(turn.c.rounds).join_from(errand, turn, turn.c.id == errand.c.id)
_BOTH = union_all(_OWN, _OF_ERRANDS.where(errand.c.parent.in_(_NAMED))).subquery()
_ROUNDS = select(func.coalesce(func.sum(_BOTH.c.rounds), 0))
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_KNOWN = tuple(name for name in names(TimedTask) if name != "id")
_ADD_TASK = Upsert(task, ["id"])
_MOVE = (
    update(task)
    .where(task.c.id == _OF, task.c.version == bindparam("expect"))
    .values({name: bindparam(f"new_{name}") for name in _KNOWN})
)
_PAUSE = (
    update(task)
    .where(task.c.chat == _OF, task.c.state == TaskState.ACTIVE)
    .values(state=TaskState.PAUSED, why=bindparam("reason"), version=task.c.version + 1)
)
_FOLLOWS = union_all(
    select(approval.c.id.label("cause"), approval.c.turn.label("turn")),
    select(errand.c.id, errand.c.parent),
).subquery()
_ASKING = select(run.c.turn.label("turn")).where(run.c.task == _OF).cte("asking", recursive=True)
_ASKING = _ASKING.union(
    select(literal(LATE_UNWATCHED).concat(_FOLLOWS.c.cause)).where(
        _FOLLOWS.c.turn == _ASKING.c.turn
    )
)
_TURNS = select(_ASKING.c.turn)
"""The turns of runs, and the turns that went on later with their calls."""

_EXPIRE = (
    update(approval)
    .where(
        OPEN,
        or_(
            approval.c.turn.in_(_TURNS),
            approval.c.turn.in_(select(errand.c.id).where(errand.c.parent.in_(_TURNS))),
        ),
    )
    .values(expires_at=_NOW)
)
ASKS = exists().where(
    OPEN,
    or_(
        approval.c.turn == run.c.turn,
        approval.c.turn.in_(select(errand.c.id).where(errand.c.parent == run.c.turn)),
    ),
)
_NEWEST = select(run.c.at).where(run.c.task == _OF).order_by(run.c.at.desc()).offset(_MOST).limit(1)
_DROP_OLD = delete(run).where(
    run.c.task == _OF,
    or_(
        run.c.at < bindparam("before"),
        run.c.at <= bindparam("beyond"),
        and_(run.c.state == RunState.SKIPPED, run.c.at < bindparam("skipped_before")),
    ),
    run.c.ended_at.is_not(None),
    run.c.again_at.is_(None),
    ~ASKS,
)
_DROP_RUNS = delete(run).where(run.c.task == _OF)
_DROP = delete(task).where(task.c.id == _OF)
_ADD_RUN = Upsert(run, ["task", "due"])
_RUN_MOVES = ("turn", "state", "tries", "again_at", "ended_at", "rounds", "why")
_SAVE_RUN = (
    update(run)
    .where(run.c.task == _OF, run.c.due == bindparam("met"))
    .values({name: bindparam(f"new_{name}") for name in _RUN_MOVES})
)


class SqlScheduled(Reads):
    async def get(self, task: str) -> TimedTask | None:
        return await self._one(TimedTask, _BY_ID, of=task)

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[TimedTask]:
        return await self._all(TimedTask, _OF_CHAT, of=chat, most=limit, skip=skip)

    async def of_person(self, person: int) -> Sequence[TimedTask]:
        return await self._all(TimedTask, _OF_PERSON, of=person)

    async def due(self, now: datetime, limit: int) -> Sequence[TimedTask]:
        return await self._all(TimedTask, _DUE, now=now, most=limit)

    async def again(self, now: datetime, limit: int) -> Sequence[TaskRun]:
        return await self._all(TaskRun, _AGAIN, now=now, most=limit)

    async def next_at(self) -> datetime | None:
        def first(connection: Connection) -> datetime | None:
            both = (connection.execute(one).scalar() for one in (_NEXT_DUE, _NEXT_TRY))
            return min((at for at in both if at is not None), default=None)

        return await self._database.read(first)

    async def ahead(self, now: datetime) -> Sequence[TimedTask]:
        return await self._all(TimedTask, _AHEAD, now=now)

    async def run_of(self, turn: str) -> tuple[TaskRun, TimedTask] | None:
        return await self._one(_run_of, _RUN_OF, of=turn)

    async def runs(self, task: str, since: datetime) -> Sequence[TaskRun]:
        return await self._all(TaskRun, _SINCE, of=task, now=since)

    async def last(self, task: str) -> TaskRun | None:
        return await self._one(TaskRun, _LAST, of=task)

    async def rounds(self, turns: Sequence[str]) -> int:
        return int(await self._scalar(_ROUNDS, turns=list(turns)))

    async def spent(self, turns: Sequence[str]) -> Nano:
        return int(await self._scalar(_SPENT, turns=list(turns)))


def _run_of(*row: Any) -> tuple[TaskRun, TimedTask]:
    return TaskRun(*row[:_RUN_FIELDS]), TimedTask(*row[_RUN_FIELDS:])


def save_tasks(connection: Connection, writes: Sequence[SaveTask], _at: datetime) -> None:
    for write in writes:
        if write.expect is None:
            known = values(write.task, names(TimedTask))
            if not _ADD_TASK.run(connection, known):
                raise Conflict(f"task {write.task.id} is there already")
        else:
            wanted = {"of": write.task.id, "expect": write.expect, **_new(write.task, _KNOWN)}
            if not connection.execute(_MOVE, wanted).rowcount:
                raise Conflict(f"task {write.task.id} is not at version {write.expect}")


def drop_tasks(connection: Connection, writes: Sequence[DropTask], at: datetime) -> None:
    for write in writes:
        if not write.keeps_cards:
            connection.execute(_EXPIRE, {"of": write.id, "now": at})
        connection.execute(_DROP_RUNS, {"of": write.id})
        connection.execute(_DROP, {"of": write.id})


def drop_runs(connection: Connection, writes: Sequence[DropRuns], _at: datetime) -> None:
    for write in writes:
        wanted = {"of": write.task, "most": write.most}
        beyond = connection.execute(_NEWEST, wanted).scalar() or _LONG_AGO
        bounds = {"before": write.before, "skipped_before": write.skipped_before}
        connection.execute(_DROP_OLD, {"of": write.task, "beyond": beyond, **bounds})


def pause_tasks(connection: Connection, writes: Sequence[PauseTasks], _at: datetime) -> None:
    for write in writes:
        connection.execute(_PAUSE, {"of": write.chat, "reason": write.why})


def add_runs(connection: Connection, writes: Sequence[AddRun], _at: datetime) -> None:
    for write in writes:
        if not _ADD_RUN.run(connection, values(write.run, names(TaskRun))):
            raise Conflict(f"task {write.run.task} has a run for {write.run.due}")


def save_runs(connection: Connection, writes: Sequence[SaveRun], _at: datetime) -> None:
    for write in writes:
        known = {"of": write.run.task, "met": write.run.due}
        connection.execute(_SAVE_RUN, known | _new(write.run, _RUN_MOVES))


def _new(value: TimedTask | TaskRun, wanted: tuple[str, ...]) -> dict[str, Any]:
    """Returns the values that take the place of those in a row.

    A statement with them in it would be built and compiled anew at each call.
    """
    return {f"new_{name}": held for name, held in values(value, wanted).items()}
