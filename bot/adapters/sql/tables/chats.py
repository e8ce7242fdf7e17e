"""Chats and their conversations."""

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Index, false, text

from bot.adapters.sql.codec import IN_USE
from bot.adapters.sql.columns import ChatAddress, Choice, Json, Number, UtcTime, Words
from bot.adapters.sql.tables.declaring import METADATA, Stored, of_chat, partial, stored
from bot.domain.talk.chat import Activation, LongAnswers, QueueMode
from bot.domain.talk.message import Address

BRANCHES = text("parent IS NOT NULL")


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


class ConversationTable(Stored, table=True):
    __table_args__ = (
        Index("ix_conversation_closed", "chat", "closed_at"),
        partial("ix_conversation_branches", "parent", where=BRANCHES),
    )
    id: str = stored(Words, primary_key=True)
    chat: int = of_chat()
    opened_at: datetime = stored(UtcTime)
    closed_at: datetime | None = stored(UtcTime, null=True)
    title: str = stored(Words)
    summary: str = stored(Words)
    parent: str | None = stored(Words, null=True)
    shared: int = stored(Number, server_default="0")
    in_use: Any = stored(Json(IN_USE), null=True)


chat = METADATA.tables["chat"]
conversation = METADATA.tables["conversation"]

OPENABLE = (
    conversation.c.closed_at.is_(None)
    | conversation.c.in_use.is_not(None)
    | (conversation.c.closed_at > conversation.c.opened_at)
)
"""Conversations that people can open: those of runs were closed from the start."""
