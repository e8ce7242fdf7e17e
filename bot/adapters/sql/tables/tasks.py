"""Tasks, and their due times that were met."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import APPROVED_CALLS, MANDATE, RULE, TASK_LIMITS
from bot.adapters.sql.columns import Choice, Json, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_turn,
    partial,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
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
