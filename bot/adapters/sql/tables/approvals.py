"""Cards, standing rules and consents."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import CALL, NUMBERS, PATTERN, PREVIEW, SURROUNDINGS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored
from bot.domain.consent.approval import ApprovalState

OPEN = text("state = 'open'")
FOR_OWNERS = text("state = 'open' AND owner_chats <> '[]'")
# Written unlike DECIDED: else SQLite uses this index of all open cards for that query too.
PENDING = text("(turn_settled = false OR (set_aside AND NOT reported))")
DECIDED = text("state <> 'open' AND NOT turn_settled")


class ApprovalTable(Stored, table=True):
    """A card; `turn_settled` follows its turn, so that pending cards are found without a join."""

    __table_args__ = (
        Index("ix_approval_turn", "turn"),
        partial("ix_approval_open", "chat", where=OPEN),
        partial("ix_approval_overdue", "expires_at", where=OPEN),
        partial("ix_approval_pending", "chat", where=PENDING),
        partial("ix_approval_decided", "chat", where=DECIDED),
        partial("ix_approval_for_owners", "created_at", where=FOR_OWNERS),
    )
    id: str = stored(Words, primary_key=True)
    token: str = stored(Words, unique=True)
    chat: int = of_chat()
    conversation: str = stored(Words)
    turn: str = stored(Words)
    call: Any = stored(Json(CALL))
    preview: Any = stored(Json(PREVIEW))
    asker: int = stored(Number)
    purpose: str = stored(Words)
    created_at: datetime = stored(UtcTime)
    expires_at: datetime = stored(UtcTime)
    kind: str = stored(Words)
    state: ApprovalState = stored(Choice(ApprovalState))
    position: int = stored(Integer)
    group: int = stored(Integer)
    set_aside: bool = stored(Boolean)
    reported: bool = stored(Boolean)
    decided_by: int | None = stored(Number, null=True)
    decider_name: str = stored(Words)
    decided_at: datetime | None = stored(UtcTime, null=True)
    reason: str = stored(Words)
    shown_at: datetime | None = stored(UtcTime, null=True)
    asker_name: str = stored(Words, server_default="")
    owner_chats: Any = stored(Json(NUMBERS), server_default="[]")
    home: int | None = stored(Number, null=True)
    asked_with: str = stored(Words, server_default="")
    turn_settled: bool = stored(Boolean)


class RuleTable(Stored, table=True):
    # No number is used twice: a late button for a dropped rule must not drop another rule.
    __table_args__ = (Index("ix_rule_chat", "chat", "person"), {"sqlite_autoincrement": True})
    id: int | None = stored(Number, primary_key=True)
    person: int = stored(Number, ForeignKey("person.id"))
    chat: int = of_chat()
    tool: str = stored(Words)
    pattern: Any = stored(Json(PATTERN))
    label: str = stored(Words)
    created_at: datetime = stored(UtcTime)
    surroundings: Any = stored(Json(SURROUNDINGS), server_default="{}")
    under: str = stored(Words, server_default="")


class ConsentTable(Stored, table=True):
    """A tool server that an owner has let in, with a digest of everything that would be started."""

    identity: str = stored(Words, primary_key=True)
    server: str = stored(Words)
    line: str = stored(Words)
    given_at: datetime = stored(UtcTime)


approval = METADATA.tables["approval"]
rule = METADATA.tables["rule"]
consent = METADATA.tables["consent"]

PENDING_CARDS = (
    PENDING,
    ~approval.c.turn_settled | (approval.c.state != ApprovalState.OPEN),
)
"""Cards of unsettled turns, and set-aside ones whose end the model has not read."""
