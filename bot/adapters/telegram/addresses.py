"""Reads the address of a chat, and tells from its number what kind of chat it is."""

from bot.adapters.telegram.fields import Fields
from bot.domain.talk.message import Address

CHANNEL = "telegram"
GENERAL = 1
"""The number of the topic that a group with topics always has."""


def is_group(address: Address) -> bool:
    """Tells a group, supergroup or channel by its negative number; people have positive ones."""
    return address.chat.startswith("-")


def address_of(message: Fields) -> Address | None:
    chat = (message.inner("chat") or Fields(None)).id("id")
    if chat is None:
        return None
    thread = message.id("message_thread_id") if message.flag("is_topic_message") else None
    # A message to a group's General topic must not name the topic.
    general = thread == str(GENERAL) and not is_private(message)
    return Address(CHANNEL, chat, None if general else thread)


def is_private(message: Fields) -> bool:
    return (message.inner("chat") or Fields(None)).text("type") == "private"
