"""Starts the next conversation of a chat."""

import secrets
from dataclasses import replace
from datetime import datetime

from bot.domain.change import ChooseSkill, EndGrants, SaveChat, SaveConversation, Write
from bot.domain.chat import Chat, Conversation


def fresh(chat: Chat, now: datetime) -> tuple[Chat, tuple[Write, ...]]:
    """Returns the chat with a new conversation, and the writes that store it."""
    opened = Conversation(secrets.token_hex(6), chat.id, now)
    moved = replace(chat, conversation=opened.id)
    rests = ChooseSkill(chat.id, None, lent=True)
    return moved, (SaveConversation(opened), SaveChat(moved), rests, EndGrants(chat.id))
