"""Reads a raw update: a message, a press, a reaction, or a change of the bot's place in a chat."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from bot.adapters.platforms.json_fields import object_in
from bot.adapters.telegram.addresses import CHANNEL, address_of, is_private
from bot.adapters.telegram.addressing import Own
from bot.adapters.telegram.fields import Fields
from bot.adapters.telegram.messages import read_message
from bot.adapters.telegram.senders import sender_of, title_of
from bot.domain.talk.feedback import Opinion, opinion_in
from bot.domain.talk.message import (
    Address,
    Ignored,
    Inbound,
    InboundMessage,
    Presence,
    PresenceChange,
    Press,
    RawUpdate,
    Reaction,
    Unreadable,
)
from bot.domain.text.storable import storable

_KINDS: Mapping[str, Literal["private", "group", "channel"]] = {
    "private": "private",
    "group": "group",
    "supergroup": "group",
    "channel": "channel",
}


def parse_update(body: str, own: Own) -> Inbound:
    """Reads a stored update; by `own` it knows words of the bot and words said to the bot."""
    update = object_in(body)
    if isinstance(update, Unreadable):
        return update
    fields = Fields(update)
    if "message" in fields:
        return read_message(fields.inner("message"), own)
    if "edited_message" in fields:
        message = read_message(fields.inner("edited_message"), own)
        return replace(message, edited=True) if isinstance(message, InboundMessage) else message
    if "callback_query" in fields:
        return _press(fields.inner("callback_query"))
    if "message_reaction" in fields:
        return read_reaction(fields.inner("message_reaction"))
    if "my_chat_member" in fields:
        return _presence_change(fields.inner("my_chat_member"))
    kinds = sorted(storable(str(name))[:64] for name in update if name != "update_id")
    return Ignored(f"an update of another kind: {', '.join(kinds[:3]) or 'none'}")


def moved_update(old: str, new: str) -> RawUpdate:
    """Returns the update of the old chat about a move that only a refused call has told of.

    Each move has one key, which is like none of the platform's numbers.
    """
    told = {"message": {"chat": {"id": int(old)}, "migrate_to_chat_id": int(new)}}
    return RawUpdate(f"moved:{old}:{new}", json.dumps(told))


def _presence_change(change: Fields | None) -> Inbound:
    if change is None:
        return Unreadable("a change of membership that is no object")
    chat, by = change.inner("chat") or Fields(None), sender_of(change)
    number, kind = chat.id("id"), _KINDS.get(chat.text("type") or "")
    before, now = (_presence(change.inner(f"{when}_chat_member")) for when in ("old", "new"))
    if number is None or kind is None or by is None or before is None or now is None:
        return Unreadable("a change of membership without a usable chat, person or status")
    if before is now:
        return Ignored("a change of membership that changes nothing here")
    return PresenceChange(Address(CHANNEL, number), by, before, now, kind, title_of(chat))


def _presence(member: Fields | None) -> Presence | None:
    match (member or Fields(None)).text("status"):
        case "creator" | "administrator":
            return Presence.ADMIN
        case "member":
            return Presence.MEMBER
        case "restricted" if member is not None and member.flag("is_member"):
            return Presence.MEMBER if member.flag("can_send_messages") else Presence.MUTED
        case "restricted" | "left" | "kicked":
            return Presence.GONE
        case _:
            return None


def _press(fields: Fields | None) -> Inbound:
    if fields is None:
        return Unreadable("a press that is no object")
    sender, handle, card = sender_of(fields), fields.text("id"), fields.inner("message")
    if card is None and "inline_message_id" in fields:
        return Ignored("a press on a message the bot did not send")
    address = None if card is None else address_of(card)
    private = card is not None and is_private(card)
    if sender is None or not handle or address is None or card is None:
        return Unreadable("a press without a usable sender, id or chat")
    return Press(address, sender, fields.text("data") or "", handle, card.id("message_id"), private)


def read_reaction(change: Fields | None) -> Inbound:
    """Returns the opinion that a change gives or takes back; the platform tells no topic."""
    if change is None:
        return Unreadable("a reaction that is no object")
    if "user" not in change:
        return Ignored("a reaction in the name of a chat")
    number, message = (change.inner("chat") or Fields(None)).id("id"), change.id("message_id")
    sender = sender_of(change, "user")
    if number is None or message is None or sender is None:
        return Unreadable("a reaction without a usable chat, person or message")
    before, now = (_opinions(change, f"{when}_reaction") for when in ("old", "new"))
    place = Address(CHANNEL, number)
    # Some people may leave several: the one that has just come counts, else the one that is left.
    told = [one for one in now if one not in before] or now
    if before == now or len(told) > 1:
        return Ignored("a reaction that tells no opinion")
    if told:
        return Reaction(place, sender, message, told[0])
    return Reaction(place, sender, message, before[0], taken_back=True)


def _opinions(change: Fields, name: str) -> list[Opinion]:
    found = (opinion_in(one.text("emoji") or "") for one in change.items(name))
    return sorted({one for one in found if one is not None})
