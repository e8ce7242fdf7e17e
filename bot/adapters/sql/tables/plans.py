"""Plans and their steps."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import NUMBERS, PREVIEW
from bot.adapters.sql.columns import Bytes, Choice, Json, Moment, Number, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored
from bot.domain.plans.plan import PlanState, StepState
from bot.domain.tools.tool import Effect

PLANNED = text("state IN ('collecting', 'ready', 'approved', 'executing')")


class PlanTable(Stored, table=True):
    """A plan; `version` grows with every write, and a chat has one live plan at most."""

    __table_args__ = (
        Index("ix_plan_chat", "chat", "created_at"),
        partial("uq_plan_live", "chat", where=PLANNED, unique=True),
    )
    id: str = stored(Words, primary_key=True)
    token: str = stored(Words, unique=True)
    chat: int = of_chat()
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    collector: int = stored(Number)
    created_at: datetime = stored(Moment)
    since: datetime = stored(Moment)
    state: PlanState = stored(Choice(PlanState))
    revision: int = stored(Integer)
    version: int = stored(Integer)
    title: str = stored(Words)
    summary: str = stored(Words)
    wish: str = stored(Words)
    message: str = stored(Words)
    turn: str | None = stored(Words, null=True)
    decider_name: str = stored(Words)
    ended_at: datetime | None = stored(Moment, null=True)
    owner_chats: Any = stored(Json(NUMBERS))


class PlanStepTable(Stored, table=True):
    """A step of a plan; steps of older revisions stay for the record."""

    plan: str = stored(Words, ForeignKey("plan.id"), primary_key=True)
    revision: int = stored(Integer, primary_key=True, autoincrement=False)
    number: int = stored(Integer, primary_key=True, autoincrement=False)
    tool: str = stored(Words)
    arguments: str = stored(Bytes)
    description: str = stored(Words)
    effect: Effect = stored(Choice(Effect))
    preview: Any = stored(Json(PREVIEW))
    state: StepState = stored(Choice(StepState))
    outcome: str = stored(Words)
    call: str = stored(Words)
    skill: str | None = stored(Words, null=True)
    lender: str | None = stored(Words, null=True)


plan = METADATA.tables["plan"]
plan_step = METADATA.tables["plan_step"]
