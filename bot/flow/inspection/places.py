"""Chats in words, for people who see many of them."""

from bot.domain.talk.chat import Chat
from bot.domain.text.names import plain_name
from bot.flow.inspection.happenings import channel_name


def place_of(chat: Chat) -> str:
    """Returns the title of a group, or that a chat is private, with its channel."""
    where = f"on {channel_name(chat.address.channel)}"
    if chat.title:
        return f"{plain_name(chat.title)} {where}"
    return f"A private chat {where}" if chat.private else f"A group {where}"
