"""Reads the people and chats that write, with the names that others see."""

from bot.adapters.telegram.addresses import CHANNEL
from bot.adapters.telegram.fields import Fields
from bot.domain.talk.person import Sender

LONGEST_NAME = 128


def sender_of(fields: Fields, field: str = "from") -> Sender | None:
    user = fields.inner(field)
    user_id = None if user is None else user.id("id")
    if user is None or user_id is None:
        return None
    return Sender(CHANNEL, user_id, name_of(user) or user_id)


def speaker_of(message: Fields) -> Sender | None:
    """Returns the sender, or the chat in whose name an anonymous admin or a channel writes."""
    chat = message.inner("sender_chat")
    if chat is None:
        return sender_of(message)
    number = chat.id("id")
    return None if number is None else Sender(CHANNEL, number, title_of(chat) or number)


def title_of(chat: Fields | None) -> str:
    """Returns the name of a chat, on one line."""
    shown = " ".join(((chat or Fields(None)).text("title") or "").split())
    return shown[:LONGEST_NAME]


def name_of(user: Fields) -> str:
    """Returns the name people see, on one line."""
    parts = (user.text("first_name"), user.text("last_name"))
    shown = " ".join(" ".join(filter(None, parts)).split()) or user.text("username") or ""
    return shown[:LONGEST_NAME]
