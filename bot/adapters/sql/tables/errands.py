"""Errands."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import ERRAND_RESULT
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_talk,
    of_turn,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.domain.assignments.errand import ErrandState

UNTAKEN = text("NOT taken")
BROUGHT = text("state = 'done' AND NOT taken")


class ErrandTable(Stored):
    """A task of a turn, whose own turn works in the chat `home`."""

    __table_args__ = (
        Index("uq_errand_home", "home", unique=True),
        Index("ix_errand_parent", "parent"),
        partial("ix_errand_untaken", "chat", where=UNTAKEN),
        partial("ix_errand_brought", "chat", where=BROUGHT),
    )
    id: str = of_turn(Forget.MARK, primary_key=True)
    # A home is never joined with another chat.
    home: int = kept(Number, ForeignKey("chat.id"))
    chat: int = of_chat()
    conversation: str = of_talk()
    parent: str = of_turn(Forget.STAYS)
    call: str = kept(Words)
    asker: int = of_person()
    asker_name: str = kept(Words)
    task: str = spoken(Words)
    created_at: datetime = stored(UtcTime)
    state: ErrandState = stored(Choice(ErrandState))
    set_aside: bool = stored(Boolean)
    recalled: bool = stored(Boolean)
    taken: bool = stored(Boolean)
    result: Any = spoken(Json(ERRAND_RESULT), Forget.EMPTY, null=True)
    ended_at: datetime | None = stored(UtcTime, null=True)
    version: int = stored(Integer)


errand = METADATA.tables["errand"]
