"""Opinions of people about answers."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index

from bot.adapters.sql.codec import WORDS
from bot.adapters.sql.columns import Choice, Json, UtcTime
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_turn,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.domain.talk.feedback import Opinion


class FeedbackTable(Stored):
    """Opinions about answers; each person has one about each."""

    __table_args__ = (
        Index("ix_feedback_at", "at"),
        Index("ix_feedback_person", "person"),
        Index("ix_feedback_chat", "chat"),
    )
    turn: str = of_turn(Forget.ROW, primary_key=True)
    person: int = of_person(Forget.ROW, primary_key=True)
    chat: int = of_chat(Forget.ROW)
    verdict: Opinion = stored(Choice(Opinion))
    at: datetime = stored(UtcTime)
    models: Any = kept(Json(WORDS))


feedback = METADATA.tables["feedback"]
