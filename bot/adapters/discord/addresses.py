"""Addresses of chats: a person by their number, a channel of a server by its negative number.

A direct message goes to a channel of its own on Discord. Its number is looked up for each person,
so that a chat has the number by which the person is known everywhere else.
"""

from bot.adapters.discord.fields import Fields
from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender

CHANNEL = "discord"
_LONGEST_NAME = 80


def is_server(address: Address) -> bool:
    """Tells the channel of a server from a chat with one person."""
    return address.chat.startswith("-")


def place_of(event: Fields, person: str, parent: str | None) -> Address | None:
    """Returns the address of an event; a thread is part of the channel it hangs below."""
    channel = event.id("channel_id")
    if channel is None:
        return None
    if "guild_id" not in event:
        return Address(CHANNEL, person)
    if parent is not None:
        return Address(CHANNEL, f"-{parent}", channel)
    return Address(CHANNEL, f"-{channel}")


def channel_in(address: Address) -> str:
    """Returns the number of the channel of a server, or of the thread in it."""
    return address.thread or address.chat.removeprefix("-")


def sender_of(user: Fields, member: Fields) -> Sender | None:
    """Returns an account with the name people see; None where it has no number."""
    number = user.id("id")
    if number is None:
        return None
    shown = (member.line("nick", _LONGEST_NAME), user.line("global_name", _LONGEST_NAME))
    name = next(filter(None, shown), "") or user.line("username", _LONGEST_NAME)
    return Sender(CHANNEL, number, name or number)
