"""The log: its lines, and the whole texts of which it holds a part."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index

from bot.adapters.sql.codec import BODY
from bot.adapters.sql.columns import Bytes, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, stored


class EntryTable(Stored, table=True):
    """One line of the log, never updated but when its words are erased."""

    __table_args__ = (Index("ix_entry_conversation", "conversation", "seq"),)
    chat: int = stored(Number, ForeignKey("chat.id"), primary_key=True)
    seq: int = stored(Number, primary_key=True)
    conversation: str = stored(Words)
    turn: str = stored(Words)
    at: datetime = stored(UtcTime)
    body: Any = stored(Json(BODY))


class ArtifactTable(Stored, table=True):
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    text: str = stored(Bytes)


entry = METADATA.tables["entry"]
artifact = METADATA.tables["artifact"]
