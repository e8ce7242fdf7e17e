"""The permanent record of what people did."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, text

from bot.adapters.sql.codec import DETAILS
from bot.adapters.sql.columns import Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, partial, stored

RAN = text("action = 'call.ran'")


class AuditTable(Stored, table=True):
    """A line of the record, kept for ever; without references, so that no deletion takes it."""

    __table_args__ = (
        Index("ix_audit_chat", "chat", "id"),
        partial("ix_audit_ran", "chat", "at", where=RAN),
    )
    id: int | None = stored(Number, primary_key=True)
    at: datetime = stored(UtcTime)
    chat: int | None = stored(Number, null=True)
    person: int | None = stored(Number, null=True)
    action: str = stored(Words)
    subject: str = stored(Words)
    details: Any = stored(Json(DETAILS))


audit = METADATA.tables["audit"]
