"""Files that people sent, and the words of recordings."""

from datetime import datetime

from sqlalchemy import Boolean, Index, text

from bot.adapters.sql.columns import Bytes, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_message,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget

KEPT = text("NOT swept")


class ReceivedTable(Stored):
    """A file that somebody sent; rows of swept files stay, so that copies are recognised."""

    __table_args__ = (
        Index("uq_received_chat", "chat", "key", unique=True),
        Index("ix_received_size", "size"),
        partial("ix_received_kept", "id", where=KEPT),
    )
    id: int | None = kept(Number, primary_key=True)
    chat: int = of_chat()
    key: str = kept(Words)
    folder: str = kept(Bytes)
    path: str = kept(Words)
    size: int = kept(Number)
    digest: str = kept(Words)
    kept_at: datetime = stored(UtcTime)
    swept: bool = stored(Boolean)


class HearingTable(Stored):
    """The words of a recording, as they were heard."""

    chat: int = of_chat(Forget.ROW, primary_key=True)
    key: str = kept(Words, primary_key=True)
    words: str = spoken(Words, Forget.ROW)
    at: datetime = stored(UtcTime)
    message: str = of_message(Forget.ROW, server_default="")


received = METADATA.tables["received"]
hearing = METADATA.tables["hearing"]
