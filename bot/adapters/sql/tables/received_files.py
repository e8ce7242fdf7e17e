"""Files that people sent, and the words of recordings."""

from datetime import datetime

from sqlalchemy import Boolean, ForeignKey, Index, text

from bot.adapters.sql.columns import Bytes, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored

KEPT = text("NOT swept")


class ReceivedTable(Stored, table=True):
    """A file that somebody sent; rows of swept files stay, so that copies are recognised."""

    __table_args__ = (
        Index("uq_received_chat", "chat", "key", unique=True),
        Index("ix_received_size", "size"),
        partial("ix_received_kept", "id", where=KEPT),
    )
    id: int | None = stored(Number, primary_key=True)
    chat: int = of_chat()
    key: str = stored(Words)
    folder: str = stored(Bytes)
    path: str = stored(Words)
    size: int = stored(Number)
    digest: str = stored(Words)
    kept_at: datetime = stored(UtcTime)
    swept: bool = stored(Boolean)


class HearingTable(Stored, table=True):
    """The words of a recording, as they were heard."""

    chat: int = stored(Number, ForeignKey("chat.id"), primary_key=True)
    key: str = stored(Words, primary_key=True)
    words: str = stored(Words)
    at: datetime = stored(UtcTime)


received = METADATA.tables["received"]
hearing = METADATA.tables["hearing"]
