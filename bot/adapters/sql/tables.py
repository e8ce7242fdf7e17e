"""The tables, and the conditions their partial indexes share with the statements.

SQLite uses a partial index only for a statement that repeats the index's condition exactly, so
each condition stands here once, as text. Columns carry the names of the domain's fields, whose
sentences stand in the domain.
"""

from datetime import date, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Date,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    TextClause,
    false,
    text,
)
from sqlalchemy.orm import declared_attr
from sqlalchemy.types import TypeEngine
from sqlmodel import Field, SQLModel

from bot.adapters.sql.codec import (
    APPROVED_CALLS,
    BODY,
    CALL,
    DETAILS,
    ERRAND_RESULT,
    IN_USE,
    NUMBERS,
    OUTBOUND,
    PACE,
    PATTERN,
    PIECES,
    PREVIEW,
    RIGHTS,
    RULE,
    SURROUNDINGS,
    TASK_LIMITS,
    WORDS,
)
from bot.adapters.sql.columns import Bytes, ChatAddress, Choice, Json, Moment, Number, Words
from bot.domain.approval import ApprovalState
from bot.domain.budget import CallKind, Scope
from bot.domain.change import InboundState
from bot.domain.chat import Activation, LongAnswers, QueueMode
from bot.domain.errand import ErrandState
from bot.domain.feedback import Opinion
from bot.domain.file_change import Stage
from bot.domain.goal import DiaryKind, GoalPace, GoalState
from bot.domain.message import Address
from bot.domain.outcome import StopReason
from bot.domain.person import Role
from bot.domain.plan import PlanState, StepState
from bot.domain.task import Allowed, Overlap, RunState, TaskState
from bot.domain.tool import Effect
from bot.domain.turn import TurnState, Way, WaysOn
from bot.ports.outbox import DeliveryState

UNSETTLED = text("state <> 'settled'")
AT_WORK = text("state IN ('queued', 'running', 'resting')")
STOPPING = text("state = 'parked' AND stop_asked IS NOT NULL")
LEADS_ON = text("ways_on = 'open'")
OPEN = text("state = 'open'")
FOR_OWNERS = text("state = 'open' AND owner_chats <> '[]'")
# Written unlike DECIDED: else SQLite uses this index of all open cards for that query too.
PENDING = text("(turn_settled = false OR (set_aside AND NOT reported))")
DECIDED = text("state <> 'open' AND NOT turn_settled")
UNROUTED = text("state = 'new'")
WAITING = text("state = 'waiting'")
HEARD = text("state = 'heard'")
KNOWN = text("person IS NOT NULL")
COUNTED = text("person IS NOT NULL AND NOT fragment")
OWED = text("state = 'owed'")
COPIES = text("copy_of IS NOT NULL")
PLANNED = text("state IN ('collecting', 'ready', 'approved', 'executing')")
RAN = text("action = 'call.ran'")
KEPT = text("NOT swept")
UNINDEXED = text("NOT indexed")
UNMEANT = text("NOT meant")
UNTAKEN = text("NOT taken")
BROUGHT = text("state = 'done' AND NOT taken")
BRANCHES = text("parent IS NOT NULL")
KEYED = text("key <> ''")
SCHEDULED = text("state = 'active' AND due IS NOT NULL")
OF_GOAL = text("goal IS NOT NULL")
TRIED_AGAIN = text("state = 'again'")
NOT_OVER = text("state IN ('queued', 'running', 'waiting', 'again')")

_WHERE = "where"


def stored(
    kind: TypeEngine[Any] | type[TypeEngine[Any]],
    *constraints: ForeignKey,
    null: bool = False,
    **options: Any,
) -> Any:
    """Returns a column of this type; it must have a value unless `null`."""
    return Field(sa_column=Column(kind, *constraints, nullable=null, **options))


def partial(name: str, *columns: str, where: TextClause, unique: bool = False) -> Index:
    """Returns an index of some rows only; `whole_metadata` adds the condition for the dialects."""
    return Index(name, *columns, unique=unique, info={_WHERE: where})


def of_chat() -> Any:
    return stored(Number, ForeignKey("chat.id"))


class Stored(SQLModel, defer_build=True):
    """The base of the tables; its metadata contain nothing else."""

    metadata = MetaData(
        naming_convention={
            "pk": "pk_%(table_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
        }
    )

    @declared_attr  # pyright: ignore[reportArgumentType]
    def __tablename__(cls) -> str:  # noqa: N805  # pyright: ignore[reportIncompatibleVariableOverride]
        return cls.__name__.removesuffix("Table").lower()


class ChatTable(Stored, table=True):
    """A chat; separate statements move `fence` and `last_seq`."""

    id: int | None = stored(Number, primary_key=True)
    address: Address = stored(ChatAddress, unique=True)
    conversation: str = stored(Words)
    private: bool = stored(Boolean)
    queue_mode: QueueMode = stored(Choice(QueueMode))
    model: str | None = stored(Words, null=True)
    timezone: str | None = stored(Words, null=True)
    fence: int = stored(Number)
    last_seq: int = stored(Number)
    title: str = stored(Words, server_default="")
    activation: Activation = stored(Choice(Activation), server_default="mention")
    listens: bool = stored(Boolean, server_default=false())
    moved_from: Address | None = stored(ChatAddress, null=True)
    long_answers: LongAnswers = stored(Choice(LongAnswers), server_default="messages")
    previews: bool = stored(Boolean, server_default=false())
    footer: bool = stored(Boolean, server_default=false())
    verbose: bool = stored(Boolean, server_default=false())
    skill: str | None = stored(Words, null=True)
    skill_lent: bool = stored(Boolean, server_default=false())
    offered: str | None = stored(Words, null=True)
    voice: bool = stored(Boolean, server_default=false())
    threads: bool = stored(Boolean, server_default=false())
    screen: int | None = stored(Number, null=True)


class PersonTable(Stored, table=True):
    id: int | None = stored(Number, primary_key=True)
    name: str = stored(Words)
    role: Role = stored(Choice(Role))
    rights: Any = stored(Json(RIGHTS), server_default="{}")
    pace: Any = stored(Json(PACE), null=True)
    about: str = stored(Words, server_default="")
    timezone: str | None = stored(Words, null=True)


class AccountTable(Stored, table=True):
    """An account of a platform and its person; the key is `channel:id`."""

    __table_args__ = (Index("ix_account_person", "person"),)
    key: str = stored(Words, primary_key=True)
    person: int = stored(Number, ForeignKey("person.id"))


class ConversationTable(Stored, table=True):
    __table_args__ = (
        Index("ix_conversation_closed", "chat", "closed_at"),
        partial("ix_conversation_branches", "parent", where=BRANCHES),
    )
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    opened_at: datetime = stored(Moment)
    closed_at: datetime | None = stored(Moment, null=True)
    title: str = stored(Words)
    summary: str = stored(Words)
    parent: str | None = stored(Words, null=True)
    shared: int = stored(Number, server_default="0")
    in_use: Any = stored(Json(IN_USE), null=True)


class TurnTable(Stored, table=True):
    __table_args__ = (
        partial("ix_turn_unsettled", "chat", where=UNSETTLED),
        partial("ix_turn_at_work", "chat", where=AT_WORK),
        partial("ix_turn_stopping", "chat", where=STOPPING),
        partial("ix_turn_ways_on", "chat", where=LEADS_ON),
    )
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    conversation: str = stored(Words)
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    model: str = stored(Words)
    created_at: datetime = stored(Moment)
    origin: str = stored(Words)
    approval: str | None = stored(Words, null=True)
    state: TurnState = stored(Choice(TurnState))
    stop_reason: StopReason | None = stored(Choice(StopReason), null=True)
    rounds: int = stored(Integer)
    calls: int = stored(Integer)
    worked_ms: int = stored(Number)
    attempts: int = stored(Integer)
    stop_asked: str | None = stored(Words, null=True)
    reply_to: str | None = stored(Words, null=True)
    ended_at: datetime | None = stored(Moment, null=True)
    skill: str | None = stored(Words, null=True)
    stages: int = stored(Integer, server_default="0")
    rests: int = stored(Integer, server_default="0")
    rests_until: datetime | None = stored(Moment, null=True)
    begun: int = stored(Integer, server_default="0")
    held_back: bool = stored(Boolean, server_default=false())
    ways_on: WaysOn = stored(Choice(WaysOn), server_default="none")
    follows: str | None = stored(Words, null=True)
    way: Way | None = stored(Choice(Way), null=True)
    said: str = stored(Words, server_default="")
    parent: str | None = stored(Words, null=True)


class EntryTable(Stored, table=True):
    """One line of the log, never updated but when its words are erased."""

    __table_args__ = (Index("ix_entry_conversation", "conversation", "seq"),)
    chat: int = stored(Number, ForeignKey("chat.id"), primary_key=True)
    seq: int = stored(Number, primary_key=True)
    conversation: str = stored(Words)
    turn: str = stored(Words)
    at: datetime = stored(Moment)
    body: Any = stored(Json(BODY))


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
    created_at: datetime = stored(Moment)
    expires_at: datetime = stored(Moment)
    kind: str = stored(Words)
    state: ApprovalState = stored(Choice(ApprovalState))
    position: int = stored(Integer)
    group: int = stored(Integer)
    set_aside: bool = stored(Boolean)
    reported: bool = stored(Boolean)
    decided_by: int | None = stored(Number, null=True)
    decider_name: str = stored(Words)
    decided_at: datetime | None = stored(Moment, null=True)
    reason: str = stored(Words)
    shown_at: datetime | None = stored(Moment, null=True)
    asker_name: str = stored(Words, server_default="")
    owner_chats: Any = stored(Json(NUMBERS), server_default="[]")
    home: int | None = stored(Number, null=True)
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
    created_at: datetime = stored(Moment)
    surroundings: Any = stored(Json(SURROUNDINGS), server_default="{}")
    under: str = stored(Words, server_default="")


class InboxTable(Stored, table=True):
    """A raw update; rows stay, so that an update is recognised for ever."""

    __table_args__ = (
        Index("uq_inbox_channel", "channel", "key", unique=True),
        partial("ix_inbox_unrouted", "id", where=UNROUTED),
        partial("ix_inbox_waiting", "chat", where=WAITING),
        partial("ix_inbox_heard", "chat", where=HEARD),
        partial("ix_inbox_counted", "person", "received_at", where=COUNTED),
        partial("ix_inbox_message", "chat", "message_id", where=WAITING),
    )
    id: int | None = stored(Number, primary_key=True)
    channel: str = stored(Words)
    key: str = stored(Words)
    body: str = stored(Bytes)
    state: InboundState = stored(Choice(InboundState))
    received_at: datetime = stored(Moment)
    chat: int | None = stored(Number, ForeignKey("chat.id"), null=True)
    message_id: str | None = stored(Words, null=True)
    turn: str | None = stored(Words, null=True)
    reason: str = stored(Words)
    person: int | None = stored(Number, null=True)
    fragment: bool = stored(Boolean, server_default=false())


class PlanTable(Stored, table=True):
    """A plan; `version` grows with every write, and a chat has one live plan at most."""

    __table_args__ = (
        Index("ix_plan_chat", "chat", "created_at"),
        partial("uq_plan_live", "chat", where=PLANNED, unique=True),
    )
    id: str = stored(Words, primary_key=True)
    token: str = stored(Words, unique=True)
    chat: int = of_chat()
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    collector: int = stored(Number)
    created_at: datetime = stored(Moment)
    since: datetime = stored(Moment)
    state: PlanState = stored(Choice(PlanState))
    revision: int = stored(Integer)
    version: int = stored(Integer)
    title: str = stored(Words)
    summary: str = stored(Words)
    wish: str = stored(Words)
    message: str = stored(Words)
    turn: str | None = stored(Words, null=True)
    decider_name: str = stored(Words)
    ended_at: datetime | None = stored(Moment, null=True)
    owner_chats: Any = stored(Json(NUMBERS))


class PlanStepTable(Stored, table=True):
    """A step of a plan; steps of older revisions stay for the record."""

    __tablename__ = "plan_step"  # pyright: ignore[reportAssignmentType]
    plan: str = stored(Words, ForeignKey("plan.id"), primary_key=True)
    revision: int = stored(Integer, primary_key=True, autoincrement=False)
    number: int = stored(Integer, primary_key=True, autoincrement=False)
    tool: str = stored(Words)
    arguments: str = stored(Bytes)
    description: str = stored(Words)
    effect: Effect = stored(Choice(Effect))
    preview: Any = stored(Json(PREVIEW))
    state: StepState = stored(Choice(StepState))
    outcome: str = stored(Words)
    call: str = stored(Words)
    skill: str | None = stored(Words, null=True)
    lender: str | None = stored(Words, null=True)


class ErrandTable(Stored, table=True):
    """A task of a turn, whose own turn works in the chat `home`."""

    __table_args__ = (
        Index("uq_errand_home", "home", unique=True),
        Index("ix_errand_parent", "parent"),
        partial("ix_errand_untaken", "chat", where=UNTAKEN),
        partial("ix_errand_brought", "chat", where=BROUGHT),
    )
    id: str = stored(Words, primary_key=True)
    home: int = stored(Number, ForeignKey("chat.id"))
    chat: int = of_chat()
    conversation: str = stored(Words)
    parent: str = stored(Words)
    call: str = stored(Words)
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    task: str = stored(Words)
    created_at: datetime = stored(Moment)
    tools: Any = stored(Json(WORDS))
    budget: int | None = stored(Number, null=True)
    untrusted: str | None = stored(Words, null=True)
    state: ErrandState = stored(Choice(ErrandState))
    set_aside: bool = stored(Boolean)
    recalled: bool = stored(Boolean)
    taken: bool = stored(Boolean)
    result: Any = stored(Json(ERRAND_RESULT), null=True)
    ended_at: datetime | None = stored(Moment, null=True)
    version: int = stored(Integer)


class OutboxTable(Stored, table=True):
    """A visible message: its wanted content, and its pieces and ids as last recorded.

    A message that shows the same as another one, its original, has the original's number.
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
    created_at: datetime = stored(Moment)
    pieces: Any = stored(Json(PIECES))
    message_ids: Any = stored(Json(WORDS))
    attempts: int = stored(Integer)
    error: str = stored(Words)
    recorded_at: datetime | None = stored(Moment, null=True)
    copy_of: int | None = stored(Number, null=True)


class SightTable(Stored, table=True):
    """The link from a platform's message id to its outbound message."""

    chat: int = stored(Number, ForeignKey("chat.id"), primary_key=True)
    message_id: str = stored(Words, primary_key=True)
    outbox: int = stored(Number, ForeignKey("outbox.id"))


class UsageTable(Stored, table=True):
    """A paid call; `cost` in billionths of a dollar, null without a known price."""

    __table_args__ = (
        Index("uq_usage_call", "call", unique=True),
        Index("ix_usage_at", "at"),
        Index("ix_usage_chat", "chat", "at"),
        Index("ix_usage_person", "person", "at"),
        Index("ix_usage_turn", "turn"),
    )
    id: int | None = stored(Number, primary_key=True)
    call: str = stored(Words)
    turn: str = stored(Words)
    chat: int | None = stored(Number, ForeignKey("chat.id"), null=True)
    person: int | None = stored(Number, null=True)
    skill: str | None = stored(Words, null=True)
    model: str = stored(Words)
    at: datetime = stored(Moment)
    input: int = stored(Number)
    output: int = stored(Number)
    cache_read: int = stored(Number)
    cache_write: int = stored(Number)
    cost: int | None = stored(Number, null=True)
    kind: CallKind = stored(Choice(CallKind))
    estimated: bool = stored(Boolean)


class BudgetTable(Stored, table=True):
    """A budget that an owner set in a chat; `money` in billionths of a dollar, null for none."""

    scope: Scope = stored(Choice(Scope), primary_key=True)
    money: int | None = stored(Number, null=True)
    by: str = stored(Words)
    at: datetime = stored(Moment)


class ArtifactTable(Stored, table=True):
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    text: str = stored(Bytes)


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
    kept_at: datetime = stored(Moment)
    swept: bool = stored(Boolean)


class HearingTable(Stored, table=True):
    """The words of a recording, as they were heard."""

    chat: int = stored(Number, ForeignKey("chat.id"), primary_key=True)
    key: str = stored(Words, primary_key=True)
    words: str = stored(Words)
    at: datetime = stored(Moment)


class VoiceNoteTable(Stored, table=True):
    """An answer that is owed as a voice note too; its words stand in its message."""

    __tablename__ = "voice_note"  # pyright: ignore[reportAssignmentType]
    turn: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    at: datetime = stored(Moment)
    tries: int = stored(Integer)


class AuditTable(Stored, table=True):
    """A line of the record, kept for ever; without references, so that no deletion takes it."""

    __table_args__ = (
        Index("ix_audit_chat", "chat", "id"),
        partial("ix_audit_ran", "chat", "at", where=RAN),
    )
    id: int | None = stored(Number, primary_key=True)
    at: datetime = stored(Moment)
    chat: int | None = stored(Number, null=True)
    person: int | None = stored(Number, null=True)
    action: str = stored(Words)
    subject: str = stored(Words)
    details: Any = stored(Json(DETAILS))


class VerdictTable(Stored, table=True):
    __table_args__ = (Index("ix_verdict_turn", "turn"),)
    id: int | None = stored(Number, primary_key=True)
    turn: str = stored(Words)
    round: int = stored(Integer)
    at: datetime = stored(Moment)
    details: Any = stored(Json(DETAILS))


class PairingTable(Stored, table=True):
    """The only live pairing code; redeeming it deletes the row."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    code_hash: str = stored(Words)
    expires_at: datetime = stored(Moment)


class GreetingTable(Stored, table=True):
    """The last day an account was told that the bot is private."""

    account: str = stored(Words, primary_key=True)
    day: date = stored(Date)


class ConsentTable(Stored, table=True):
    """A tool server that an owner has let in, with a digest of everything that would be started."""

    identity: str = stored(Words, primary_key=True)
    server: str = stored(Words)
    line: str = stored(Words)
    given_at: datetime = stored(Moment)


class PassageTable(Stored, table=True):
    """A settled answer with its question.

    `indexed` is false while the index of words is owed it, `meant` while that of meaning is.

    No number is used twice: the index knows passages by number.
    """

    __table_args__ = (
        Index("uq_passage_id", "id", unique=True),
        Index("ix_passage_whose", "whose", "at"),
        Index("ix_passage_conversation", "conversation", "number"),
        partial("ix_passage_unindexed", "number", where=UNINDEXED),
        partial("ix_passage_unmeant", "number", where=UNMEANT),
        {"sqlite_autoincrement": True},
    )
    number: int | None = stored(Number, primary_key=True)
    id: str = stored(Words)
    whose: str = stored(Words)
    at: datetime = stored(Moment)
    question: str = stored(Words)
    answer: str = stored(Words)
    person: int = stored(Number)
    speaker: str = stored(Words)
    chat: int | None = stored(Number, ForeignKey("chat.id"), null=True)
    conversation: str = stored(Words)
    skill: str | None = stored(Words, null=True)
    untrusted: str | None = stored(Words, null=True)
    indexed: bool = stored(Boolean, server_default=false())
    meant: bool = stored(Boolean, server_default=false())


class NoteTable(Stored, table=True):
    __table_args__ = (Index("ix_note_whose", "whose", "at"),)
    id: str = stored(Words, primary_key=True)
    whose: str = stored(Words)
    text: str = stored(Words)
    at: datetime = stored(Moment)
    person: int = stored(Number)
    speaker: str = stored(Words)
    conversation: str = stored(Words)


class PastTable(Stored, table=True):
    """The last conversation from before the memory that was read; `ended` after all of them."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    conversation: str = stored(Words)
    ended: bool = stored(Boolean)


class MeaningTable(Stored, table=True):
    """The index of meaning that `meant` is about."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    name: str = stored(Words)
    space: str = stored(Words)


class LeavingTable(Stored, table=True):
    """Vectors that the index of meaning has to take out."""

    number: int = stored(Number, primary_key=True, autoincrement=False)
    whose: str = stored(Words, primary_key=True)


class TaskTable(Stored, table=True):
    """A task; `version` grows with every write."""

    __table_args__ = (
        Index("ix_task_chat", "chat"),
        Index("ix_task_home", "home"),
        Index("ix_task_asker", "asker"),
        partial("ix_task_due", "due", where=SCHEDULED),
        partial("ix_task_planned", "planned_at", where=SCHEDULED),
        partial("ix_task_goal", "goal", where=OF_GOAL),
    )
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    home: int = of_chat()
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    what: str = stored(Words)
    said: str = stored(Words)
    rule: Any = stored(Json(RULE))
    zone: str = stored(Words)
    created_at: datetime = stored(Moment)
    due: datetime | None = stored(Moment, null=True)
    planned_at: datetime = stored(Moment)
    state: TaskState = stored(Choice(TaskState))
    why: str = stored(Words)
    version: int = stored(Integer)
    fresh: bool = stored(Boolean)
    allowed: Allowed = stored(Choice(Allowed))
    overlap: Overlap = stored(Choice(Overlap))
    calls: Any = stored(Json(APPROVED_CALLS))
    calls_until: datetime | None = stored(Moment, null=True)
    limits: Any = stored(Json(TASK_LIMITS))
    failures: int = stored(Integer)
    untrusted: str | None = stored(Words, null=True)
    goal: str | None = stored(Words, null=True)


class RunTable(Stored, table=True):
    """A due time of a task that was met; the key keeps it from being met twice."""

    __table_args__ = (
        Index("uq_run_turn", "turn", unique=True),
        Index("ix_run_at", "task", "at"),
        partial("ix_run_again", "again_at", where=TRIED_AGAIN),
        partial("ix_run_not_over", "task", where=NOT_OVER),
    )
    task: str = stored(Words, ForeignKey("task.id"), primary_key=True)
    due: datetime = stored(Moment, primary_key=True)
    turn: str = stored(Words)
    chat: int = of_chat()
    at: datetime = stored(Moment)
    state: RunState = stored(Choice(RunState))
    late: bool = stored(Boolean)
    tries: int = stored(Integer)
    again_at: datetime | None = stored(Moment, null=True)
    ended_at: datetime | None = stored(Moment, null=True)
    rounds: int = stored(Integer)
    why: str = stored(Words)


class GoalTable(Stored, table=True):
    """A goal; `version` grows with every write. Its own task has the same id."""

    __table_args__ = (Index("ix_goal_chat", "chat"), Index("ix_goal_asker", "asker"))
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    asker: int = stored(Number)
    asker_name: str = stored(Words)
    text: str = stored(Words)
    pace: GoalPace = stored(Choice(GoalPace))
    a_day: int | None = stored(Number, null=True)
    budget: int | None = stored(Number, null=True)
    until: datetime = stored(Moment)
    created_at: datetime = stored(Moment)
    state: GoalState = stored(Choice(GoalState))
    question: str = stored(Words)
    version: int = stored(Integer)


class DiaryTable(Stored, table=True):
    """An entry in the diary of a goal."""

    __table_args__ = (Index("ix_diary_goal", "goal", "at"), Index("ix_diary_turn", "turn"))
    id: str = stored(Words, primary_key=True)
    goal: str = stored(Words, ForeignKey("goal.id"))
    at: datetime = stored(Moment)
    kind: DiaryKind = stored(Choice(DiaryKind))
    text: str = stored(Words)
    turn: str = stored(Words)
    untrusted: str | None = stored(Words, null=True)


class GoalTurnTable(Stored, table=True):
    """A turn that works for a goal, whose cost counts there."""

    __tablename__ = "goal_turn"  # pyright: ignore[reportAssignmentType]
    __table_args__ = (Index("ix_goal_turn_goal", "goal"),)
    turn: str = stored(Words, primary_key=True)
    goal: str = stored(Words, ForeignKey("goal.id"))


class HookCallTable(Stored, table=True):
    """A call of a hook; `key` is unique in its hook as long as it is kept."""

    __tablename__ = "hook_call"  # pyright: ignore[reportAssignmentType]
    __table_args__ = (
        partial("uq_hook_call_key", "hook", "key", where=KEYED, unique=True),
        Index("uq_hook_call_turn", "turn", unique=True),
        Index("ix_hook_call_at", "hook", "at"),
        Index("ix_hook_call_when", "at"),
        partial("ix_hook_call_again", "again_at", where=TRIED_AGAIN),
    )
    id: str = stored(Words, primary_key=True)
    hook: str = stored(Words)
    key: str = stored(Words)
    turn: str = stored(Words)
    chat: int = of_chat()
    at: datetime = stored(Moment)
    words: str = stored(Words)
    data: str = stored(Words)
    allowed: Allowed = stored(Choice(Allowed))
    fresh: bool = stored(Boolean)
    state: RunState = stored(Choice(RunState))
    ended_at: datetime | None = stored(Moment, null=True)
    why: str = stored(Words)
    tries: int = stored(Integer, server_default="1")
    again_at: datetime | None = stored(Moment, null=True)


class FileChangeTable(Stored, table=True):
    """Changes of files that can be taken back."""

    __tablename__ = "file_change"  # pyright: ignore[reportAssignmentType]
    __table_args__ = (
        Index("uq_file_change_id", "id", unique=True),
        Index("ix_file_change_task", "task"),
        Index("ix_file_change_by", "by"),
        Index("ix_file_change_chat", "chat", "number"),
    )
    number: int | None = stored(Number, primary_key=True)
    id: str = stored(Words)
    chat: int = of_chat()
    turn: str = stored(Words)
    task: str = stored(Words)
    call: str = stored(Words)
    asker: int = stored(Number)
    root: str = stored(Words)
    path: str = stored(Words)
    content: bytes | None = stored(LargeBinary, null=True)
    mode: int = stored(Integer)
    now: str = stored(Words)
    at: datetime = stored(Moment)
    undone: bool = stored(Boolean)
    flips: int = stored(Integer)
    version: int = stored(Integer)
    stage: Stage = stored(Choice(Stage))
    by: str = stored(Words)
    met: str = stored(Words)
    agreed: bool = stored(Boolean)
    spare: bytes | None = stored(LargeBinary, null=True)
    spare_now: str = stored(Words)
    spare_mode: int = stored(Integer)
    spare_kept: bool = stored(Boolean)


class FeedbackTable(Stored, table=True):
    """Opinions about answers; each person has one about each."""

    __table_args__ = (
        Index("ix_feedback_at", "at"),
        Index("ix_feedback_person", "person"),
        Index("ix_feedback_chat", "chat"),
    )
    turn: str = stored(Words, primary_key=True)
    person: int = stored(Number, primary_key=True)
    chat: int = of_chat()
    verdict: Opinion = stored(Choice(Opinion))
    at: datetime = stored(Moment)
    models: Any = stored(Json(WORDS))


METADATA = Stored.metadata


def whole_metadata() -> MetaData:
    """Returns the metadata with the conditions of the partial indexes.

    Only code that creates or compares tables calls this: for a condition, SQLAlchemy loads both
    dialects.
    """
    for table in METADATA.tables.values():
        for index in table.indexes:
            for dialect in ("sqlite", "postgresql") if _WHERE in index.info else ():
                index.dialect_options[dialect]["where"] = index.info[_WHERE]
    return METADATA


chat = METADATA.tables["chat"]
person = METADATA.tables["person"]
account = METADATA.tables["account"]
conversation = METADATA.tables["conversation"]
turn = METADATA.tables["turn"]
entry = METADATA.tables["entry"]
approval = METADATA.tables["approval"]
rule = METADATA.tables["rule"]
inbox = METADATA.tables["inbox"]
plan = METADATA.tables["plan"]
plan_step = METADATA.tables["plan_step"]
errand = METADATA.tables["errand"]
outbox = METADATA.tables["outbox"]
sight = METADATA.tables["sight"]
usage = METADATA.tables["usage"]
budget = METADATA.tables["budget"]
artifact = METADATA.tables["artifact"]
received = METADATA.tables["received"]
hearing = METADATA.tables["hearing"]
voice_note = METADATA.tables["voice_note"]
audit = METADATA.tables["audit"]
verdict = METADATA.tables["verdict"]
pairing = METADATA.tables["pairing"]
greeting = METADATA.tables["greeting"]
consent = METADATA.tables["consent"]
passage = METADATA.tables["passage"]
note = METADATA.tables["note"]
past = METADATA.tables["past"]
meaning = METADATA.tables["meaning"]
leaving = METADATA.tables["leaving"]
hook_call = METADATA.tables["hook_call"]
file_change = METADATA.tables["file_change"]
feedback = METADATA.tables["feedback"]
task = METADATA.tables["task"]
goal = METADATA.tables["goal"]
diary = METADATA.tables["diary"]
goal_turn = METADATA.tables["goal_turn"]
run = METADATA.tables["run"]

PENDING_CARDS = (
    PENDING,
    ~approval.c.turn_settled | (approval.c.state != ApprovalState.OPEN),
)
"""Cards of unsettled turns, and set-aside ones whose end the model has not read."""

OPENABLE = (
    conversation.c.closed_at.is_(None)
    | conversation.c.in_use.is_not(None)
    | (conversation.c.closed_at > conversation.c.opened_at)
)
"""Conversations that people can open: those of runs were closed from the start."""
