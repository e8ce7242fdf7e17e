"""Visible messages, and the platform messages that show them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Integer, text

from bot.adapters.sql.codec import OUTBOUND, PIECES, WORDS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored
from bot.adapters.sql.this_process import ThisProcess
from bot.ports.outbox import DeliveryState

OWED = text("state = 'owed'")
COPIES = text("copy_of IS NOT NULL")


class OutboxTable(Stored, table=True):
    """A visible message: its wanted content, and its pieces and ids as last recorded.

    A message that shows the same as another one, its original, has the original's number. Its
    maker is the process that wrote it first.
    """

    __table_args__ = (
        partial("ix_outbox_owed", "chat", where=OWED),
        partial("ix_outbox_copy", "copy_of", where=COPIES),
    )
    id: int | None = stored(Number, primary_key=True)
    key: str = stored(Words, unique=True)
    chat: int = of_chat()
    content: Any = stored(Json(OUTBOUND))
    version: int = stored(Integer)
    shown_version: int = stored(Integer)
    state: DeliveryState = stored(Choice(DeliveryState))
    created_at: datetime = stored(UtcTime)
    pieces: Any = stored(Json(PIECES))
    message_ids: Any = stored(Json(WORDS))
    attempts: int = stored(Integer)
    error: str = stored(Words)
    recorded_at: datetime | None = stored(UtcTime, null=True)
    copy_of: int | None = stored(Number, null=True)
    maker: int | None = stored(Number, null=True, default=ThisProcess())


class SightTable(Stored, table=True):
    """The link from a platform's message id to its outbound message."""

    chat: int = stored(Number, ForeignKey("chat.id"), primary_key=True)
    message_id: str = stored(Words, primary_key=True)
    outbox: int = stored(Number, ForeignKey("outbox.id"))


outbox = METADATA.tables["outbox"]
sight = METADATA.tables["sight"]
