"""People, their chats and opinions, and the permanent record of what they did."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import Boolean, Date, ForeignKey, Index, Integer, false, text

from bot.adapters.sql.codec import DETAILS, IN_USE, PACE, RIGHTS, WORDS
from bot.adapters.sql.columns import ChatAddress, Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, kept, partial, spoken, stored
from bot.adapters.sql.tables.marks import Forget, Mark, Names
from bot.adapters.sql.tables.naming import of_chat, of_person, of_talk, of_turn
from bot.domain.talk.chat import Activation, LongAnswers, QueueMode
from bot.domain.talk.feedback import Opinion
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role

BRANCHES = text("parent IS NOT NULL")


class ChatTable(Stored):
    """A chat; separate statements move `fence` and `last_seq`."""

    id: int | None = kept(Number, primary_key=True)
    address: Address = kept(ChatAddress, unique=True)
    conversation: str = kept(Words)
    private: bool = stored(Boolean)
    queue_mode: QueueMode = stored(Choice(QueueMode))
    model: str | None = kept(Words, null=True)
    timezone: str | None = kept(Words, null=True)
    fence: int = kept(Number)
    last_seq: int = kept(Number)
    title: str = kept(Words, server_default="")
    activation: Activation = stored(Choice(Activation), server_default="mention")
    listens: bool = stored(Boolean, server_default=false())
    moved_from: Address | None = kept(ChatAddress, null=True)
    long_answers: LongAnswers = stored(Choice(LongAnswers), server_default="messages")
    previews: bool = stored(Boolean, server_default=false())
    footer: bool = stored(Boolean, server_default=false())
    verbose: bool = stored(Boolean, server_default=false())
    skill: str | None = kept(Words, null=True)
    skill_lent: bool = stored(Boolean, server_default=false())
    offered: str | None = kept(Words, null=True)
    voice: bool = stored(Boolean, server_default=false())
    threads: bool = stored(Boolean, server_default=false())
    screen: int | None = stored(Number, null=True, mark=Mark(Names.CHAT))


class ConversationTable(Stored):
    __table_args__ = (
        Index("ix_conversation_closed", "chat", "closed_at"),
        partial("ix_conversation_branches", "parent", where=BRANCHES),
    )
    id: str = kept(Words, primary_key=True)
    chat: int = of_chat()
    opened_at: datetime = stored(UtcTime)
    closed_at: datetime | None = stored(UtcTime, null=True)
    title: str = spoken(Words, Forget.BY_HAND)
    summary: str = spoken(Words, Forget.BY_HAND)
    parent: str | None = of_talk(null=True)
    shared: int = kept(Number, server_default="0")
    in_use: Any = kept(Json(IN_USE), null=True)


chat = METADATA.tables["chat"]
conversation = METADATA.tables["conversation"]

OPENABLE = (
    conversation.c.closed_at.is_(None)
    | conversation.c.in_use.is_not(None)
    | (conversation.c.closed_at > conversation.c.opened_at)
)
"""Conversations that people can open: those of runs were closed from the start."""


class PersonTable(Stored):
    id: int | None = kept(Number, primary_key=True)
    name: str = kept(Words)
    role: Role = stored(Choice(Role))
    rights: Any = kept(Json(RIGHTS), server_default="{}")
    pace: Any = kept(Json(PACE), null=True)
    about: str = spoken(Words, Forget.STAYS, told=True, server_default="")
    timezone: str | None = kept(Words, null=True)


class AccountTable(Stored):
    """An account of a platform and its person; the key is `channel:id`."""

    __table_args__ = (Index("ix_account_person", "person"),)
    key: str = kept(Words, primary_key=True)
    person: int = kept(Number, ForeignKey("person.id"))


class PairingTable(Stored):
    """The only live pairing code; redeeming it deletes the row."""

    id: int = stored(Integer, primary_key=True, autoincrement=False)
    code_hash: str = kept(Words)
    expires_at: datetime = stored(UtcTime)


class GreetingTable(Stored):
    """The last day an account was told that the bot is private."""

    account: str = kept(Words, primary_key=True)
    day: date = stored(Date)


class SignInTable(Stored):
    """A code that signs somebody in on the page; spending it deletes the row."""

    id: str = kept(Words, primary_key=True)
    hash: str = kept(Words)
    expires_at: datetime = stored(UtcTime)
    person: int | None = of_person(null=True)
    account: str = kept(Words)
    name: str = kept(Words)
    tries: int = stored(Integer)


class SessionTable(Stored):
    """A browser that is signed in on the page."""

    __table_args__ = (Index("ix_session_person", "person"),)
    id: str = kept(Words, primary_key=True)
    hash: str = kept(Words, unique=True)
    person: int = of_person()
    name: str = kept(Words)
    opened_at: datetime = stored(UtcTime)
    seen_at: datetime = stored(UtcTime)
    ends_at: datetime = stored(UtcTime)
    account: str = kept(Words)


person = METADATA.tables["person"]
sign_in = METADATA.tables["sign_in"]
session = METADATA.tables["session"]
account = METADATA.tables["account"]
pairing = METADATA.tables["pairing"]
greeting = METADATA.tables["greeting"]


class FeedbackTable(Stored):
    """Opinions about answers; each person has one about each."""

    __table_args__ = (
        Index("ix_feedback_at", "at"),
        Index("ix_feedback_person", "person"),
        Index("ix_feedback_chat", "chat"),
    )
    turn: str = of_turn(Forget.ROW, primary_key=True)
    person: int = of_person(Forget.ROW, primary_key=True)
    chat: int = of_chat(Forget.ROW)
    verdict: Opinion = stored(Choice(Opinion))
    at: datetime = stored(UtcTime)
    models: Any = kept(Json(WORDS))


feedback = METADATA.tables["feedback"]


RAN = text("action = 'call.ran'")
BEGAN = text("action = 'program.started'")
ADMITTED = text("action IN ('person.allowed', 'person.paired')")
ON_PLANS = text("action IN ('plan.ready', 'plan.approved', 'plan.changed', 'plan.cancelled')")


class AuditTable(Stored):
    """A line of the record, kept for ever but for inputs; no reference lets a deletion take it."""

    __table_args__ = (
        Index("ix_audit_chat", "chat", "id"),
        partial("ix_audit_ran", "chat", "at", where=RAN),
        partial("ix_audit_began", "at", where=BEGAN),
        partial("ix_audit_admitted", "subject", where=ADMITTED),
        partial("ix_audit_on_plans", "id", where=ON_PLANS),
    )
    id: int | None = kept(Number, primary_key=True)
    at: datetime = stored(UtcTime)
    chat: int | None = stored(Number, null=True, mark=Mark(Names.CHAT))
    person: int | None = kept(Number, null=True)
    action: str = kept(Words)
    subject: str = spoken(Words, Forget.BY_HAND)
    details: Any = spoken(Json(DETAILS), Forget.BY_HAND)


audit = METADATA.tables["audit"]
