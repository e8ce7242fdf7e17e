"""The permanent record of what people did."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, text

from bot.adapters.sql.codec import DETAILS
from bot.adapters.sql.columns import Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, partial, spoken, stored
from bot.adapters.sql.tables.marks import Forget, Mark, Names

RAN = text("action = 'call.ran'")


class AuditTable(Stored):
    """A line of the record, kept for ever; without references, so that no deletion takes it."""

    __table_args__ = (
        Index("ix_audit_chat", "chat", "id"),
        partial("ix_audit_ran", "chat", "at", where=RAN),
    )
    id: int | None = kept(Number, primary_key=True)
    at: datetime = stored(UtcTime)
    chat: int | None = stored(Number, null=True, mark=Mark(Names.CHAT))
    person: int | None = kept(Number, null=True)
    action: str = kept(Words)
    subject: str = spoken(Words, Forget.BY_HAND)
    details: Any = spoken(Json(DETAILS), Forget.BY_HAND)


audit = METADATA.tables["audit"]
