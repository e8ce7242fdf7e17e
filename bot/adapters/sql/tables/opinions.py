"""Opinions of people about answers."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index

from bot.adapters.sql.codec import WORDS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, stored
from bot.domain.talk.feedback import Opinion


class FeedbackTable(Stored, table=True):
    """Opinions about answers; each person has one about each."""

    __table_args__ = (
        Index("ix_feedback_at", "at"),
        Index("ix_feedback_person", "person"),
        Index("ix_feedback_chat", "chat"),
    )
    turn: str = stored(Words, primary_key=True)
    person: int = stored(Number, primary_key=True)
    chat: int = of_chat()
    verdict: Opinion = stored(Choice(Opinion))
    at: datetime = stored(UtcTime)
    models: Any = stored(Json(WORDS))


feedback = METADATA.tables["feedback"]
