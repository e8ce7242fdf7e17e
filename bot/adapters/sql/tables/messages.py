"""Visible messages, and the platform messages that show them."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Integer, text

from bot.adapters.sql.codec import OUTBOUND, PIECES, WORDS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_turn,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.this_process import ThisProcess
from bot.ports.outbox import DeliveryState

OWED = text("state = 'owed'")
COPIES = text("copy_of IS NOT NULL")
ABOUT = text("about <> ''")


class OutboxTable(Stored):
    """A visible message: its wanted content, and its pieces and ids as last recorded.

    A message that shows the same as another one, its original, has the original's number. Its
    maker is the process that wrote it first. It is about a turn, or a card or a plan of one.
    """

    __table_args__ = (
        partial("ix_outbox_owed", "chat", where=OWED),
        partial("ix_outbox_copy", "copy_of", where=COPIES),
        partial("ix_outbox_about", "about", where=ABOUT),
    )
    id: int | None = kept(Number, primary_key=True)
    key: str = kept(Words, unique=True)
    chat: int = of_chat()
    content: Any = spoken(Json(OUTBOUND), Forget.BY_HAND)
    version: int = stored(Integer)
    shown_version: int = stored(Integer)
    state: DeliveryState = stored(Choice(DeliveryState))
    created_at: datetime = stored(UtcTime)
    pieces: Any = spoken(Json(PIECES), Forget.BY_HAND)
    message_ids: Any = kept(Json(WORDS))
    attempts: int = stored(Integer)
    error: str = kept(Words)
    recorded_at: datetime | None = stored(UtcTime, null=True)
    copy_of: int | None = kept(Number, null=True)
    maker: int | None = kept(Number, null=True, default=ThisProcess())
    about: str = of_turn(Forget.BY_HAND, server_default="")


class SightTable(Stored):
    """The link from a platform's message id to its outbound message."""

    chat: int = of_chat(primary_key=True)
    message_id: str = kept(Words, primary_key=True)
    outbox: int = kept(Number, ForeignKey("outbox.id"))


outbox = METADATA.tables["outbox"]
sight = METADATA.tables["sight"]
