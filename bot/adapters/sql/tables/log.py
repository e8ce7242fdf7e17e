"""The log: its lines, and the whole texts of which it holds a part."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index

from bot.adapters.sql.codec import BODY
from bot.adapters.sql.columns import Bytes, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_talk,
    of_turn,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget


class EntryTable(Stored):
    """One line of the log, never updated but when its words are erased."""

    __table_args__ = (Index("ix_entry_conversation", "conversation", "seq"),)
    chat: int = of_chat(primary_key=True)
    seq: int = kept(Number, primary_key=True)
    conversation: str = of_talk()
    turn: str = of_turn(Forget.BY_HAND)
    at: datetime = stored(UtcTime)
    body: Any = spoken(Json(BODY), Forget.BY_HAND, told=True)


class ArtifactTable(Stored):
    __table_args__ = (Index("ix_artifact_turn", "turn"),)
    id: str = kept(Words, primary_key=True)
    chat: int = of_chat()
    text: str = spoken(Bytes)
    turn: str = of_turn(Forget.MARK, server_default="")


entry = METADATA.tables["entry"]
artifact = METADATA.tables["artifact"]
