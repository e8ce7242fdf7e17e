"""Tasks, and their due times that were met."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import APPROVED_CALLS, MANDATE, RULE, TASK_LIMITS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored
from bot.domain.assignments.task import Allowed, Overlap, RunState, TaskState

SCHEDULED = text("state = 'active' AND due IS NOT NULL")
OF_GOAL = text("goal IS NOT NULL")
TRIED_AGAIN = text("state = 'again'")
NOT_OVER = text("state IN ('queued', 'running', 'waiting', 'again')")


class TaskTable(Stored, table=True):
    """A task; `version` grows with every write."""

    __table_args__ = (
        Index("ix_task_chat", "chat"),
        Index("ix_task_home", "home"),
        Index("ix_task_asker", "asker"),
        partial("ix_task_due", "due", where=SCHEDULED),
        partial("ix_task_planned", "planned_at", where=SCHEDULED),
        partial("ix_task_goal", "goal", where=OF_GOAL),
    )
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    home: int = of_chat()
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    what: str = stored(Words)
    said: str = stored(Words)
    rule: Any = stored(Json(RULE))
    zone: str = stored(Words)
    created_at: datetime = stored(UtcTime)
    due: datetime | None = stored(UtcTime, null=True)
    planned_at: datetime = stored(UtcTime)
    mandate: Any = stored(Json(MANDATE), server_default="{}")
    state: TaskState = stored(Choice(TaskState))
    why: str = stored(Words)
    version: int = stored(Integer)
    fresh: bool = stored(Boolean)
    allowed: Allowed = stored(Choice(Allowed))
    overlap: Overlap = stored(Choice(Overlap))
    calls: Any = stored(Json(APPROVED_CALLS))
    calls_until: datetime | None = stored(UtcTime, null=True)
    limits: Any = stored(Json(TASK_LIMITS))
    failures: int = stored(Integer)
    untrusted: str | None = stored(Words, null=True)
    goal: str | None = stored(Words, null=True)


class RunTable(Stored, table=True):
    """A due time of a task that was met; the key keeps it from being met twice."""

    __table_args__ = (
        Index("uq_run_turn", "turn", unique=True),
        Index("ix_run_at", "task", "at"),
        partial("ix_run_again", "again_at", where=TRIED_AGAIN),
        partial("ix_run_not_over", "task", where=NOT_OVER),
    )
    task: str = stored(Words, ForeignKey("task.id"), primary_key=True)
    due: datetime = stored(UtcTime, primary_key=True)
    turn: str = stored(Words)
    chat: int = of_chat()
    at: datetime = stored(UtcTime)
    state: RunState = stored(Choice(RunState))
    late: bool = stored(Boolean)
    tries: int = stored(Integer)
    again_at: datetime | None = stored(UtcTime, null=True)
    ended_at: datetime | None = stored(UtcTime, null=True)
    rounds: int = stored(Integer)
    why: str = stored(Words)


task = METADATA.tables["task"]
run = METADATA.tables["run"]
