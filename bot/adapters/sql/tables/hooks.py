"""Calls of hooks."""

from datetime import datetime

from sqlalchemy import Boolean, Index, Integer, text

from bot.adapters.sql.columns import Choice, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_turn,
    partial,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.tables.tasks import TRIED_AGAIN
from bot.domain.assignments.task import Allowed, RunState

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
