"""Paid calls and budgets."""

from datetime import datetime

from sqlalchemy import Boolean, Index

from bot.adapters.sql.columns import Choice, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, stored
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.tables.naming import of_chat, of_person, of_turn
from bot.domain.money.budget import CallKind, Scope


class UsageTable(Stored):
    """A paid call; `cost` in billionths of a dollar, null without a known price."""

    __table_args__ = (
        Index("uq_usage_call", "call", unique=True),
        Index("ix_usage_at", "at"),
        Index("ix_usage_chat", "chat", "at"),
        Index("ix_usage_person", "person", "at"),
        Index("ix_usage_turn", "turn"),
    )
    id: int | None = kept(Number, primary_key=True)
    call: str = kept(Words)
    turn: str = of_turn(Forget.STAYS)
    chat: int | None = of_chat(null=True)
    person: int | None = of_person(null=True)
    skill: str | None = kept(Words, null=True)
    model: str = kept(Words)
    at: datetime = stored(UtcTime)
    input: int = kept(Number)
    output: int = kept(Number)
    cache_read: int = kept(Number)
    cache_write: int = kept(Number)
    cost: int | None = kept(Number, null=True)
    kind: CallKind = stored(Choice(CallKind))
    estimated: bool = stored(Boolean)


class BudgetTable(Stored):
    """A budget that an owner set in a chat; `money` in billionths of a dollar, null for none."""

    scope: Scope = stored(Choice(Scope), primary_key=True)
    money: int | None = kept(Number, null=True)
    by: str = kept(Words)
    at: datetime = stored(UtcTime)


usage = METADATA.tables["usage"]
budget = METADATA.tables["budget"]
