"""Turns and their rounds, and what they ask for: cards, errands, plans, changes of files."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, ForeignKey, Index, Integer, LargeBinary, false, text

from bot.adapters.sql.codec import (
    CALL,
    DETAILS,
    ERRAND_RESULT,
    MANDATE,
    NUMBERS,
    PATTERN,
    PREVIEW,
    SURROUNDINGS,
)
from bot.adapters.sql.columns import Bytes, Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, partial, spoken, stored
from bot.adapters.sql.tables.marks import Forget
from bot.adapters.sql.tables.naming import of_chat, of_person, of_talk, of_turn
from bot.adapters.sql.this_process import ThisProcess
from bot.domain.assignments.errand import ErrandState
from bot.domain.consent.approval import ApprovalState
from bot.domain.plans.plan import PlanState, StepState
from bot.domain.tools.file_change import Stage
from bot.domain.tools.tool import Effect
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.turn import TurnState, Way, WaysOn

UNSETTLED = text("state <> 'settled'")
AT_WORK = text("state IN ('queued', 'running', 'resting')")
STOPPING = text("state = 'parked' AND stop_asked IS NOT NULL")
LEADS_ON = text("ways_on = 'open'")
ASKED_FOR = text("origin = 'message'")


class TurnTable(Stored):
    """A turn; its owner is the process in whose line it stands as long as nobody waits for it."""

    __table_args__ = (
        partial("ix_turn_unsettled", "chat", where=UNSETTLED),
        partial("ix_turn_at_work", "chat", where=AT_WORK),
        partial("ix_turn_stopping", "chat", where=STOPPING),
        partial("ix_turn_ways_on", "chat", where=LEADS_ON),
        partial("ix_turn_asked_for", "created_at", "asker", where=ASKED_FOR),
    )
    id: str = of_turn(Forget.MARK, primary_key=True)
    chat: int = of_chat()
    conversation: str = of_talk()
    asker: int = of_person()
    asker_name: str = kept(Words)
    model: str = kept(Words)
    created_at: datetime = stored(UtcTime)
    mandate: Any = kept(Json(MANDATE), server_default="{}")
    origin: str = kept(Words)
    approval: str | None = kept(Words, null=True)
    state: TurnState = stored(Choice(TurnState))
    stop_reason: StopReason | None = stored(Choice(StopReason), null=True)
    rounds: int = stored(Integer)
    calls: int = stored(Integer)
    worked_ms: int = kept(Number)
    attempts: int = stored(Integer)
    stop_asked: str | None = kept(Words, null=True)
    reply_to: str | None = kept(Words, null=True)
    ended_at: datetime | None = stored(UtcTime, null=True)
    skill: str | None = kept(Words, null=True)
    stages: int = stored(Integer, server_default="0")
    rests: int = stored(Integer, server_default="0")
    rests_until: datetime | None = stored(UtcTime, null=True)
    begun: int = stored(Integer, server_default="0")
    held_back: bool = stored(Boolean, server_default=false())
    ways_on: WaysOn = stored(Choice(WaysOn), server_default="none")
    follows: str | None = of_turn(Forget.STAYS, null=True)
    way: Way | None = stored(Choice(Way), null=True)
    said: str = spoken(Words, server_default="")
    parent: str | None = of_turn(Forget.STAYS, null=True)
    owner: int | None = kept(Number, null=True, default=ThisProcess())


class VerdictTable(Stored):
    __table_args__ = (Index("ix_verdict_turn", "turn"),)
    id: int | None = kept(Number, primary_key=True)
    turn: str = of_turn(Forget.STAYS)
    round: int = stored(Integer)
    at: datetime = stored(UtcTime)
    details: Any = kept(Json(DETAILS))


turn = METADATA.tables["turn"]
verdict = METADATA.tables["verdict"]


OPEN = text("state = 'open'")
FOR_OWNERS = text("state = 'open' AND owner_chats <> '[]'")
# Written unlike DECIDED: else SQLite uses this index of all open cards for that query too.
PENDING = text("(turn_settled = false OR (set_aside AND NOT reported))")
DECIDED = text("state <> 'open' AND NOT turn_settled")
ENDED = text("decided_at IS NOT NULL")


class ApprovalTable(Stored):
    """A card; `turn_settled` follows its turn, so that pending cards are found without a join."""

    __table_args__ = (
        Index("ix_approval_turn", "turn"),
        partial("ix_approval_open", "chat", where=OPEN),
        partial("ix_approval_overdue", "expires_at", where=OPEN),
        partial("ix_approval_pending", "chat", where=PENDING),
        partial("ix_approval_decided", "chat", where=DECIDED),
        partial("ix_approval_for_owners", "created_at", where=FOR_OWNERS),
        partial("ix_approval_open_since", "created_at", "position", "id", where=OPEN),
        partial("ix_approval_ended", "decided_at", "id", where=ENDED),
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
    card: str = kept(Words, server_default="")
    used: int = kept(Number, server_default="0")
    used_at: datetime | None = stored(UtcTime, null=True)


class ConsentTable(Stored):
    """A tool server that an owner has let in, with a digest of everything that would be started."""

    identity: str = kept(Words, primary_key=True)
    server: str = kept(Words)
    line: str = kept(Words)
    given_at: datetime = stored(UtcTime)


approval = METADATA.tables["approval"]
rule = METADATA.tables["rule"]
consent = METADATA.tables["consent"]

PENDING_CARDS = (PENDING, ~approval.c.turn_settled | (approval.c.state != ApprovalState.OPEN))
"""Cards of unsettled turns, and set-aside ones whose end the model has not read."""


UNTAKEN = text("NOT taken")
BROUGHT = text("state = 'done' AND NOT taken")


class ErrandTable(Stored):
    """A task of a turn, whose own turn works in the chat `home`."""

    __table_args__ = (
        Index("uq_errand_home", "home", unique=True),
        Index("ix_errand_parent", "parent"),
        partial("ix_errand_untaken", "chat", where=UNTAKEN),
        partial("ix_errand_brought", "chat", where=BROUGHT),
    )
    id: str = of_turn(Forget.MARK, primary_key=True)
    # A home is never joined with another chat.
    home: int = kept(Number, ForeignKey("chat.id"))
    chat: int = of_chat()
    conversation: str = of_talk()
    parent: str = of_turn(Forget.STAYS)
    call: str = kept(Words)
    asker: int = of_person()
    asker_name: str = kept(Words)
    task: str = spoken(Words)
    created_at: datetime = stored(UtcTime)
    state: ErrandState = stored(Choice(ErrandState))
    set_aside: bool = stored(Boolean)
    recalled: bool = stored(Boolean)
    taken: bool = stored(Boolean)
    result: Any = spoken(Json(ERRAND_RESULT), Forget.EMPTY, null=True)
    ended_at: datetime | None = stored(UtcTime, null=True)
    version: int = stored(Integer)


errand = METADATA.tables["errand"]


PLANNED = text("state IN ('collecting', 'ready', 'approved', 'executing')")


class PlanTable(Stored):
    """A plan; `version` grows with every write, and a chat has one live plan at most."""

    __table_args__ = (
        Index("ix_plan_chat", "chat", "created_at"),
        partial("uq_plan_live", "chat", where=PLANNED, unique=True),
    )
    id: str = kept(Words, primary_key=True)
    token: str = kept(Words, unique=True)
    chat: int = of_chat()
    asker: int = of_person()
    asker_name: str = kept(Words)
    collector: int = of_person()
    created_at: datetime = stored(UtcTime)
    since: datetime = stored(UtcTime)
    mandate: Any = kept(Json(MANDATE), server_default="{}")
    state: PlanState = stored(Choice(PlanState))
    revision: int = stored(Integer)
    version: int = stored(Integer)
    title: str = spoken(Words, Forget.BY_HAND)
    summary: str = spoken(Words, Forget.BY_HAND)
    wish: str = spoken(Words, Forget.BY_HAND)
    message: str = spoken(Words, Forget.BY_HAND)
    turn: str | None = of_turn(Forget.BY_HAND, null=True)
    decider_name: str = kept(Words)
    ended_at: datetime | None = stored(UtcTime, null=True)
    owner_chats: Any = kept(Json(NUMBERS))


class PlanStepTable(Stored):
    """A step of a plan; steps of older revisions stay for the record."""

    plan: str = kept(Words, ForeignKey("plan.id"), primary_key=True)
    revision: int = stored(Integer, primary_key=True, autoincrement=False)
    number: int = stored(Integer, primary_key=True, autoincrement=False)
    tool: str = kept(Words)
    arguments: str = spoken(Bytes, Forget.BY_HAND)
    description: str = spoken(Words, Forget.BY_HAND)
    effect: Effect = stored(Choice(Effect))
    preview: Any = spoken(Json(PREVIEW), Forget.BY_HAND)
    state: StepState = stored(Choice(StepState))
    outcome: str = spoken(Words, Forget.BY_HAND)
    call: str = kept(Words)
    skill: str | None = kept(Words, null=True)
    lender: str | None = kept(Words, null=True)


plan = METADATA.tables["plan"]
plan_step = METADATA.tables["plan_step"]


class FileChangeTable(Stored):
    """Changes of files that can be taken back."""

    __table_args__ = (
        Index("uq_file_change_id", "id", unique=True),
        Index("ix_file_change_task", "task"),
        Index("ix_file_change_by", "by"),
        Index("ix_file_change_chat", "chat", "number"),
    )
    number: int | None = kept(Number, primary_key=True)
    id: str = kept(Words)
    chat: int = of_chat()
    turn: str = of_turn(Forget.ROW)
    task: str = of_turn(Forget.ROW)
    call: str = kept(Words)
    asker: int = of_person()
    root: str = kept(Words)
    path: str = spoken(Words, Forget.ROW)
    content: bytes | None = spoken(LargeBinary, Forget.ROW, null=True)
    mode: int = stored(Integer)
    now: str = kept(Words)
    at: datetime = stored(UtcTime)
    undone: bool = stored(Boolean)
    flips: int = stored(Integer)
    version: int = stored(Integer)
    stage: Stage = stored(Choice(Stage))
    by: str = of_turn(Forget.STAYS)
    met: str = spoken(Words, Forget.ROW)
    agreed: bool = stored(Boolean)
    spare: bytes | None = spoken(LargeBinary, Forget.ROW, null=True)
    spare_now: str = kept(Words)
    spare_mode: int = stored(Integer)
    spare_kept: bool = stored(Boolean)


file_change = METADATA.tables["file_change"]
