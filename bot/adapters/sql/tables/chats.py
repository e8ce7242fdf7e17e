"""Chats and their conversations."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Index, false, text

from bot.adapters.sql.codec import IN_USE
from bot.adapters.sql.columns import ChatAddress, Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import (
    METADATA,
    Stored,
    kept,
    of_chat,
    of_talk,
    partial,
    spoken,
    stored,
)
from bot.adapters.sql.tables.marks import Forget, Mark, Names
from bot.domain.talk.chat import Activation, LongAnswers, QueueMode
from bot.domain.talk.message import Address

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
