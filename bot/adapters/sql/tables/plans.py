"""Plans and their steps."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import NUMBERS, PREVIEW
from bot.adapters.sql.columns import Bytes, Choice, Json, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_turn,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.domain.plans.plan import PlanState, StepState
from bot.domain.tools.tool import Effect

PLANNED = text("state IN ('collecting', 'ready', 'approved', 'executing')")


class PlanTable(Stored):
    """A plan; `version` grows with every write, and a chat has one live plan at most."""

    __table_args__ = (
        Index("ix_plan_chat", "chat", "created_at"),
        partial("uq_plan_live", "chat", where=PLANNED, unique=True),
    )
    id: str = kept(Words, primary_key=True)
    token: str = kept(Words, unique=True)
    chat: int = of_chat()
    asker: int = of_person()
    asker_name: str = kept(Words)
    collector: int = of_person()
    created_at: datetime = stored(UtcTime)
    since: datetime = stored(UtcTime)
    state: PlanState = stored(Choice(PlanState))
    revision: int = stored(Integer)
    version: int = stored(Integer)
    title: str = spoken(Words, Forget.BY_HAND)
    summary: str = spoken(Words, Forget.BY_HAND)
    wish: str = spoken(Words, Forget.BY_HAND)
    message: str = spoken(Words, Forget.BY_HAND)
    turn: str | None = of_turn(Forget.BY_HAND, null=True)
    decider_name: str = kept(Words)
    ended_at: datetime | None = stored(UtcTime, null=True)
    owner_chats: Any = kept(Json(NUMBERS))


class PlanStepTable(Stored):
    """A step of a plan; steps of older revisions stay for the record."""

    plan: str = kept(Words, ForeignKey("plan.id"), primary_key=True)
    revision: int = stored(Integer, primary_key=True, autoincrement=False)
    number: int = stored(Integer, primary_key=True, autoincrement=False)
    tool: str = kept(Words)
    arguments: str = spoken(Bytes, Forget.BY_HAND)
    description: str = spoken(Words, Forget.BY_HAND)
    effect: Effect = stored(Choice(Effect))
    preview: Any = spoken(Json(PREVIEW), Forget.BY_HAND)
    state: StepState = stored(Choice(StepState))
    outcome: str = spoken(Words, Forget.BY_HAND)
    call: str = kept(Words)
    skill: str | None = kept(Words, null=True)
    lender: str | None = kept(Words, null=True)


plan = METADATA.tables["plan"]
plan_step = METADATA.tables["plan_step"]
