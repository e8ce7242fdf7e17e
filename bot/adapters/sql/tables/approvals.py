"""Cards, standing rules and consents."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, text

from bot.adapters.sql.codec import CALL, NUMBERS, PATTERN, PREVIEW, SURROUNDINGS
from bot.adapters.sql.columns import Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_person,
    of_talk,
    of_turn,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget
from bot.domain.consent.approval import ApprovalState

OPEN = text("state = 'open'")
FOR_OWNERS = text("state = 'open' AND owner_chats <> '[]'")
# Written unlike DECIDED: else SQLite uses this index of all open cards for that query too.
PENDING = text("(turn_settled = false OR (set_aside AND NOT reported))")
DECIDED = text("state <> 'open' AND NOT turn_settled")


class ApprovalTable(Stored):
    """A card; `turn_settled` follows its turn, so that pending cards are found without a join."""

    __table_args__ = (
        Index("ix_approval_turn", "turn"),
        partial("ix_approval_open", "chat", where=OPEN),
        partial("ix_approval_overdue", "expires_at", where=OPEN),
        partial("ix_approval_pending", "chat", where=PENDING),
        partial("ix_approval_decided", "chat", where=DECIDED),
        partial("ix_approval_for_owners", "created_at", where=FOR_OWNERS),
    )
    id: str = kept(Words, primary_key=True)
    token: str = kept(Words, unique=True)
    chat: int = of_chat()
    conversation: str = of_talk()
    turn: str = of_turn(Forget.BY_HAND)
    call: Any = spoken(Json(CALL), Forget.BY_HAND)
    preview: Any = spoken(Json(PREVIEW), Forget.BY_HAND)
    asker: int = of_person()
    purpose: str = spoken(Words, Forget.BY_HAND)
    created_at: datetime = stored(UtcTime)
    expires_at: datetime = stored(UtcTime)
    kind: str = kept(Words)
    state: ApprovalState = stored(Choice(ApprovalState))
    position: int = stored(Integer)
    group: int = stored(Integer)
    set_aside: bool = stored(Boolean)
    reported: bool = stored(Boolean)
    decided_by: int | None = of_person(null=True)
    decider_name: str = kept(Words)
    decided_at: datetime | None = stored(UtcTime, null=True)
    reason: str = spoken(Words, Forget.BY_HAND)
    shown_at: datetime | None = stored(UtcTime, null=True)
    asker_name: str = kept(Words, server_default="")
    owner_chats: Any = kept(Json(NUMBERS), server_default="[]")
    home: int | None = kept(Number, null=True)
    asked_with: str = kept(Words, server_default="")
    turn_settled: bool = stored(Boolean)


class RuleTable(Stored, sqlite_autoincrement=True):
    # No number is used twice: a late button for a dropped rule must not drop another rule.
    __table_args__ = (Index("ix_rule_chat", "chat", "person"),)
    id: int | None = kept(Number, primary_key=True)
    person: int = of_person(Forget.STAYS, ForeignKey("person.id"))
    chat: int = of_chat()
    tool: str = kept(Words)
    pattern: Any = kept(Json(PATTERN))
    label: str = kept(Words)
    created_at: datetime = stored(UtcTime)
    surroundings: Any = kept(Json(SURROUNDINGS), server_default="{}")
    under: str = kept(Words, server_default="")


class ConsentTable(Stored):
    """A tool server that an owner has let in, with a digest of everything that would be started."""

    identity: str = kept(Words, primary_key=True)
    server: str = kept(Words)
    line: str = kept(Words)
    given_at: datetime = stored(UtcTime)


approval = METADATA.tables["approval"]
rule = METADATA.tables["rule"]
consent = METADATA.tables["consent"]

PENDING_CARDS = (
    PENDING,
    ~approval.c.turn_settled | (approval.c.state != ApprovalState.OPEN),
)
"""Cards of unsettled turns, and set-aside ones whose end the model has not read."""
