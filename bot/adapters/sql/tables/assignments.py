"""Tasks, goals and calls of hooks, with their runs and diaries."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import APPROVED_CALLS, MANDATE, RULE, TASK_LIMITS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, partial, spoken, stored
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.tables.naming import of_chat, of_person, of_turn
from bot.domain.assignments.goal import DiaryKind, GoalPace, GoalState
from bot.domain.assignments.task import Allowed, Overlap, RunState, TaskState

SCHEDULED = text("state = 'active' AND due IS NOT NULL")
OF_GOAL = text("goal IS NOT NULL")
TRIED_AGAIN = text("state = 'again'")
NOT_OVER = text("state IN ('queued', 'running', 'waiting', 'again')")


class TaskTable(Stored):
    """A task; `version` grows with every write."""

    __table_args__ = (
        Index("ix_task_chat", "chat"),
        Index("ix_task_home", "home"),
        Index("ix_task_asker", "asker"),
        partial("ix_task_due", "due", where=SCHEDULED),
        partial("ix_task_planned", "planned_at", where=SCHEDULED),
        partial("ix_task_goal", "goal", where=OF_GOAL),
    )
    id: str = kept(Words, primary_key=True)
    chat: int = of_chat()
    home: int = of_chat()
    asker: int = of_person()
    asker_name: str = kept(Words)
    what: str = kept(Words)
    said: str = kept(Words)
    rule: Any = kept(Json(RULE))
    zone: str = kept(Words)
    created_at: datetime = stored(UtcTime)
    due: datetime | None = stored(UtcTime, null=True)
    planned_at: datetime = stored(UtcTime)
    mandate: Any = kept(Json(MANDATE), server_default="{}")
    state: TaskState = stored(Choice(TaskState))
    why: str = kept(Words)
    version: int = stored(Integer)
    fresh: bool = stored(Boolean)
    allowed: Allowed = stored(Choice(Allowed))
    overlap: Overlap = stored(Choice(Overlap))
    calls: Any = kept(Json(APPROVED_CALLS))
    calls_until: datetime | None = stored(UtcTime, null=True)
    limits: Any = kept(Json(TASK_LIMITS))
    failures: int = stored(Integer)
    untrusted: str | None = kept(Words, null=True)
    goal: str | None = kept(Words, null=True)


class RunTable(Stored):
    """A due time of a task that was met; the key keeps it from being met twice."""

    __table_args__ = (
        Index("uq_run_turn", "turn", unique=True),
        Index("ix_run_at", "task", "at"),
        partial("ix_run_again", "again_at", where=TRIED_AGAIN),
        partial("ix_run_not_over", "task", where=NOT_OVER),
    )
    task: str = kept(Words, ForeignKey("task.id"), primary_key=True)
    due: datetime = stored(UtcTime, primary_key=True)
    turn: str = of_turn(Forget.STAYS)
    chat: int = of_chat()
    at: datetime = stored(UtcTime)
    state: RunState = stored(Choice(RunState))
    late: bool = stored(Boolean)
    tries: int = stored(Integer)
    again_at: datetime | None = stored(UtcTime, null=True)
    ended_at: datetime | None = stored(UtcTime, null=True)
    rounds: int = stored(Integer)
    why: str = kept(Words)


task = METADATA.tables["task"]
run = METADATA.tables["run"]


class GoalTable(Stored):
    """A goal; `version` grows with every write. Its own task has the same id."""

    __table_args__ = (Index("ix_goal_chat", "chat"), Index("ix_goal_asker", "asker"))
    id: str = kept(Words, primary_key=True)
    chat: int = of_chat()
    asker: int = of_person()
    asker_name: str = kept(Words)
    text: str = spoken(Words, Forget.BY_HAND, told=True)
    pace: GoalPace = stored(Choice(GoalPace))
    a_day: int | None = kept(Number, null=True)
    budget: int | None = kept(Number, null=True)
    until: datetime = stored(UtcTime)
    created_at: datetime = stored(UtcTime)
    state: GoalState = stored(Choice(GoalState))
    question: str = spoken(Words, Forget.BY_HAND)
    version: int = stored(Integer)


class DiaryTable(Stored):
    """An entry in the diary of a goal."""

    __table_args__ = (Index("ix_diary_goal", "goal", "at"), Index("ix_diary_turn", "turn"))
    id: str = kept(Words, primary_key=True)
    goal: str = kept(Words, ForeignKey("goal.id"))
    at: datetime = stored(UtcTime)
    kind: DiaryKind = stored(Choice(DiaryKind))
    text: str = spoken(Words, Forget.ROW, told=True)
    turn: str = of_turn(Forget.ROW)
    untrusted: str | None = kept(Words, null=True)


class GoalTurnTable(Stored):
    """A turn that works for a goal, whose cost counts there."""

    __table_args__ = (Index("ix_goal_turn_goal", "goal"),)
    turn: str = of_turn(Forget.STAYS, primary_key=True)
    goal: str = kept(Words, ForeignKey("goal.id"))


goal = METADATA.tables["goal"]
diary = METADATA.tables["diary"]
goal_turn = METADATA.tables["goal_turn"]


KEYED = text("key <> ''")
SEALED = text("seal <> ''")


class HookCallTable(Stored):
    """A call of a hook; `key` is unique in its hook, `seal` among all, as long as they are kept."""

    __table_args__ = (
        partial("uq_hook_call_key", "hook", "key", where=KEYED, unique=True),
        partial("uq_hook_call_seal", "seal", where=SEALED, unique=True),
        Index("uq_hook_call_turn", "turn", unique=True),
        Index("ix_hook_call_at", "hook", "at"),
        Index("ix_hook_call_when", "at"),
        partial("ix_hook_call_again", "again_at", where=TRIED_AGAIN),
    )
    id: str = kept(Words, primary_key=True)
    hook: str = kept(Words)
    key: str = kept(Words)
    turn: str = of_turn(Forget.STAYS)
    chat: int = of_chat()
    at: datetime = stored(UtcTime)
    words: str = kept(Words)
    data: str = kept(Words)
    allowed: Allowed = stored(Choice(Allowed))
    fresh: bool = stored(Boolean)
    state: RunState = stored(Choice(RunState))
    ended_at: datetime | None = stored(UtcTime, null=True)
    why: str = kept(Words)
    tries: int = stored(Integer, server_default="1")
    again_at: datetime | None = stored(UtcTime, null=True)
    seal: str = kept(Words, server_default="")


hook_call = METADATA.tables["hook_call"]
