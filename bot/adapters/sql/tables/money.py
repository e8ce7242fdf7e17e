"""Paid calls and budgets."""

from datetime import datetime

from sqlalchemy import Boolean, ForeignKey, Index

from bot.adapters.sql.columns import Choice, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, stored
from bot.domain.money.budget import CallKind, Scope


class UsageTable(Stored, table=True):
    """A paid call; `cost` in billionths of a dollar, null without a known price."""

    __table_args__ = (
        Index("uq_usage_call", "call", unique=True),
        Index("ix_usage_at", "at"),
        Index("ix_usage_chat", "chat", "at"),
        Index("ix_usage_person", "person", "at"),
        Index("ix_usage_turn", "turn"),
    )
    id: int | None = stored(Number, primary_key=True)
    call: str = stored(Words)
    turn: str = stored(Words)
    chat: int | None = stored(Number, ForeignKey("chat.id"), null=True)
    person: int | None = stored(Number, null=True)
    skill: str | None = stored(Words, null=True)
    model: str = stored(Words)
    at: datetime = stored(UtcTime)
    input: int = stored(Number)
    output: int = stored(Number)
    cache_read: int = stored(Number)
    cache_write: int = stored(Number)
    cost: int | None = stored(Number, null=True)
    kind: CallKind = stored(Choice(CallKind))
    estimated: bool = stored(Boolean)


class BudgetTable(Stored, table=True):
    """A budget that an owner set in a chat; `money` in billionths of a dollar, null for none."""

    scope: Scope = stored(Choice(Scope), primary_key=True)
    money: int | None = stored(Number, null=True)
    by: str = stored(Words)
    at: datetime = stored(UtcTime)


usage = METADATA.tables["usage"]
budget = METADATA.tables["budget"]
