"""Raw updates as they came in."""

from datetime import datetime

from sqlalchemy import Boolean, Index, false, text

from bot.adapters.sql.columns import Bytes, Choice, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_message,
    of_person,
    of_turn,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.this_process import ThisProcess
from bot.domain.change import InboundState

UNROUTED = text("state = 'new'")
WAITING = text("state = 'waiting'")
HEARD = text("state = 'heard'")
KNOWN = text("person IS NOT NULL")
COUNTED = text("person IS NOT NULL AND NOT fragment")


class InboxTable(Stored):
    """A raw update; rows stay, so that an update is recognised for ever.

    Its owner is the process that routes it.
    """

    __table_args__ = (
        Index("uq_inbox_channel", "channel", "key", unique=True),
        partial("ix_inbox_unrouted", "id", where=UNROUTED),
        partial("ix_inbox_waiting", "chat", where=WAITING),
        partial("ix_inbox_heard", "chat", where=HEARD),
        partial("ix_inbox_counted", "person", "received_at", where=COUNTED),
        partial("ix_inbox_message", "chat", "message_id", where=WAITING),
    )
    id: int | None = kept(Number, primary_key=True)
    channel: str = kept(Words)
    key: str = kept(Words)
    body: str = spoken(Bytes, Forget.EMPTY)
    state: InboundState = stored(Choice(InboundState))
    received_at: datetime = stored(UtcTime)
    chat: int | None = of_chat(null=True)
    message_id: str | None = of_message(null=True)
    turn: str | None = of_turn(Forget.MARK, null=True)
    reason: str = kept(Words)
    person: int | None = of_person(null=True)
    fragment: bool = stored(Boolean, server_default=false())
    owner: int | None = kept(Number, null=True, default=ThisProcess())


inbox = METADATA.tables["inbox"]
