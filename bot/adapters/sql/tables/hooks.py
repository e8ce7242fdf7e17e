"""Calls of hooks."""

from datetime import datetime

from sqlalchemy import Boolean, Index, Integer, text

from bot.adapters.sql.columns import Choice, Moment, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored
from bot.adapters.sql.tables.tasks import TRIED_AGAIN
from bot.domain.assignments.task import Allowed, RunState

KEYED = text("key <> ''")
SEALED = text("seal <> ''")


class HookCallTable(Stored, table=True):
    """A call of a hook; `key` is unique in its hook, `seal` among all, as long as they are kept."""

    __table_args__ = (
        partial("uq_hook_call_key", "hook", "key", where=KEYED, unique=True),
        partial("uq_hook_call_seal", "seal", where=SEALED, unique=True),
        Index("uq_hook_call_turn", "turn", unique=True),
        Index("ix_hook_call_at", "hook", "at"),
        Index("ix_hook_call_when", "at"),
        partial("ix_hook_call_again", "again_at", where=TRIED_AGAIN),
    )
    id: str = stored(Words, primary_key=True)
    hook: str = stored(Words)
    key: str = stored(Words)
    turn: str = stored(Words)
    chat: int = of_chat()
    at: datetime = stored(Moment)
    words: str = stored(Words)
    data: str = stored(Words)
    allowed: Allowed = stored(Choice(Allowed))
    fresh: bool = stored(Boolean)
    state: RunState = stored(Choice(RunState))
    ended_at: datetime | None = stored(Moment, null=True)
    why: str = stored(Words)
    tries: int = stored(Integer, server_default="1")
    again_at: datetime | None = stored(Moment, null=True)
    seal: str = stored(Words, server_default="")


hook_call = METADATA.tables["hook_call"]
