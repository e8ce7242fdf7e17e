"""Starts the next conversation of a chat or of a run, branches one off, and opens one again."""

import secrets
from dataclasses import replace
from datetime import datetime

from bot.domain.change import (
    ChooseSkill,
    EndGrants,
    OpenConversation,
    SaveConversation,
    SaveSettings,
    Write,
)
from bot.domain.talk.chat import Chat, Conversation, InUse


def fresh(chat: Chat, now: datetime) -> tuple[Chat, tuple[Write, ...]]:
    """Returns the chat with a new conversation, and the writes that store it."""
    opened = Conversation(secrets.token_hex(6), chat.id, now)
    moved = replace(chat, conversation=opened.id)
    rests = ChooseSkill(chat.id, None, lent=True)
    return moved, (
        SaveConversation(opened),
        OpenConversation(chat.id, opened.id),
        rests,
        EndGrants(chat.id),
    )


def of_run(chat: int, title: str, now: datetime) -> Conversation:
    """Returns the conversation of a run; it is closed, so no message of a person continues it."""
    return Conversation(secrets.token_hex(6), chat, now, closed_at=now, title=title)


def put_away(current: Conversation, chat: Chat, now: datetime) -> Conversation:
    """Returns the open conversation of a chat as it is left: closed, with what it uses now."""
    used = InUse(chat.settings.model, chat.skill, chat.skill_lent)
    return replace(current, closed_at=now, in_use=used)


def branched(
    chat: Chat, current: Conversation, title: str, now: datetime
) -> tuple[Conversation, tuple[Write, ...]]:
    """Returns a branch of the open conversation, and the writes that make it the open one.

    It shares the log up to its present end. Model, skill and permissions stay as they are.
    """
    new = Conversation(
        secrets.token_hex(6), chat.id, now, title=title, parent=current.id, shared=chat.last_seq
    )
    moved = OpenConversation(chat.id, new.id)
    return new, (SaveConversation(put_away(current, chat, now)), SaveConversation(new), moved)


def reopened(
    chat: Chat, current: Conversation | None, wanted: Conversation, now: datetime
) -> tuple[Write, ...]:
    """Returns the writes that open a conversation where it ended, with what it used."""
    used = wanted.in_use or InUse(chat.settings.model, chat.skill, chat.skill_lent)
    closing = () if current is None else (SaveConversation(put_away(current, chat, now)),)
    opened = SaveConversation(replace(wanted, closed_at=None, in_use=None))
    moved = (
        OpenConversation(chat.id, wanted.id),
        SaveSettings(chat, replace(chat.settings, model=used.model)),
    )
    if (used.skill, used.skill_lent) == (chat.skill, chat.skill_lent):
        return (*closing, opened, *moved)
    # A lent skill takes the place of no other, so the present one goes first.
    skills = (
        ChooseSkill(chat.id, None),
        ChooseSkill(chat.id, used.skill, lent=used.skill_lent),
        EndGrants(chat.id),
    )
    return (*closing, opened, *moved, *skills)
