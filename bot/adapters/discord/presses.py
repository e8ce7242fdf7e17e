"""Reads who used a button or a command, where, and which button it was."""

from bot.adapters.discord.addresses import place_of, sender_of
from bot.adapters.discord.components import pressed
from bot.adapters.discord.fields import Fields
from bot.domain.talk.message import Address, Press
from bot.domain.talk.person import Sender

_THREADS = (10, 11, 12)


def user_of(event: Fields) -> Sender | None:
    """Returns the person who used something; None for one without a number."""
    member = event.inner("member")
    user = member.inner("user") if "member" in event else event.inner("user")
    return sender_of(user, member)


def used_at(event: Fields, user: Sender) -> Address | None:
    """Returns where it was; an interaction tells of its channel itself."""
    channel = event.inner("channel")
    parent = channel.id("parent_id") if channel.number("type") in _THREADS else None
    return place_of(event, user.user_id, parent)


def read_press(event: Fields) -> Press | None:
    """Returns the press of a button or the choice in a menu; None for one that says nothing."""
    sender, data = user_of(event), event.inner("data")
    address = None if sender is None else used_at(event, sender)
    chosen = pressed(data.text("custom_id") or "", list(data.words("values")))
    if sender is None or address is None or chosen is None:
        return None
    handle = f"{event.id('id')}:{event.text('token')}"
    private = "guild_id" not in event
    return Press(address, sender, chosen, handle, event.inner("message").id("id"), private)
