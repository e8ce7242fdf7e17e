"""Reads a stored event of the gateway: a message, an edit, a deletion, a press or words."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.adapters.discord.addresses import CHANNEL, place_of, sender_of
from bot.adapters.discord.components import asked_by
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.interactions import COMMAND, PRESS, WORDS, command_text
from bot.adapters.discord.messages import Where, quote_of, read_message, time_of
from bot.adapters.discord.missed import LEFT_OUT
from bot.adapters.discord.presses import read_press, used_at, user_of
from bot.adapters.discord.reactions import REACTIONS, REMOVED, read_reaction
from bot.adapters.discord.spoken import Own
from bot.adapters.discord.stays import BACK, HEARD, INVITED, LEFT, MUTED, places_in
from bot.adapters.platforms.json_fields import object_in
from bot.domain.talk.message import (
    Address,
    Ignored,
    Inbound,
    InboundMessage,
    LeftOut,
    Presence,
    PresenceChange,
    Quote,
    Unreadable,
    Withdrawn,
)
from bot.domain.talk.person import Sender
from bot.domain.text.storable import storable

_DIRECT = 1
_LONGEST_CODE = 35
"""Characters of a language code."""

_ABOUT = "Look at this message."
_CHANGES = {
    LEFT: (Presence.MEMBER, Presence.GONE),
    BACK: (Presence.GONE, Presence.MEMBER),
    MUTED: (Presence.MEMBER, Presence.MUTED),
    HEARD: (Presence.MUTED, Presence.MEMBER),
}
_NUMBER_LIMIT = (1 << 63) - 1


def parse_event(body: str, own_id: str) -> Inbound:
    """Reads a stored event with what was known of its place when it came."""
    update = object_in(body)
    if isinstance(update, Unreadable):
        return update
    fields = Fields(update)
    event, place = fields.inner("d"), fields.inner("place")
    own = Own(own_id, place.id("role") or "")
    if not _is_timely(event):
        return Unreadable("an event whose number is out of all time")
    return _event(fields.text("t"), event, place, own)


def _event(name: str | None, event: Fields, place: Fields, own: Own) -> Inbound:
    match name:
        case "MESSAGE_CREATE":
            return _message(event, place, own)
        case "MESSAGE_UPDATE":
            message = _message(event, place, own)
            edited = isinstance(message, InboundMessage)
            return replace(message, edited=True) if edited else message
        case "MESSAGE_DELETE":
            return _withdrawn(event, place)
        case kind if kind in REACTIONS:
            return read_reaction(event, place, taken_back=kind == REMOVED)
        case "INTERACTION_CREATE":
            return _interaction(event, own)
        case kind if kind in _CHANGES:
            return _presence(event, place, *_CHANGES[kind])
        case kind if kind in _OF_PLACES:
            return _OF_PLACES[kind](event, place)
        case other:
            return Ignored(f"an event of another kind: {storable(other or 'none')[:64]}")


def _is_timely(event: Fields) -> bool:
    number = event.id("id")
    if number is None:
        return True
    try:
        return int(number) <= _NUMBER_LIMIT and time_of(number) <= datetime.max.replace(tzinfo=UTC)
    except (OverflowError, ValueError):
        return False


def _message(event: Fields, place: Fields, own: Own) -> Inbound:
    person = event.inner("author").id("id")
    address = None if person is None else place_of(event, person, place.id("parent"))
    channel = event.id("channel_id")
    if address is None or channel is None:
        return Unreadable("a message without a usable chat or sender")
    return read_message(event, Where(address, channel, place.line("title", 128)), own)


def _withdrawn(event: Fields, place: Fields) -> Inbound:
    number = event.id("id")
    address = place_of(event, place.id("person") or "", place.id("parent"))
    if number is None or address is None or not address.chat:
        return Ignored("a deletion in a place that nobody knows")
    return Withdrawn(address, number, private="guild_id" not in event)


def _left_out(event: Fields, place: Fields) -> Inbound:
    number, private = event.id("id"), "guild_id" not in event
    address = place_of(event, place.id("person") or "", place.id("parent"))
    if number is None or address is None or not address.chat:
        return Ignored("messages left out in a place that nobody knows")
    read, title = event.number("read") or 0, place.line("title", 128)
    return LeftOut(address, time_of(number), read, private, title)


def _presence(event: Fields, place: Fields, before: Presence, now: Presence) -> Inbound:
    groups = places_in(event)
    if not groups:
        return Unreadable("a change of membership without a channel")
    title = place.line("title", 128)
    return PresenceChange(groups[0], None, before, now, "group", title, tuple(groups[1:]))


def _invited(event: Fields, place: Fields) -> Inbound:
    number = event.id("id")
    if number is None:
        return Unreadable("an invitation without a server")
    by, at = sender_of(event.inner("by"), Fields(None)), Address(CHANNEL, f"-{number}")
    title = place.line("title", 128) or number
    return PresenceChange(at, by, Presence.GONE, Presence.MEMBER, "server", title)


def _interaction(event: Fields, own: Own) -> Inbound:
    sender, number, token = user_of(event), event.id("id"), event.text("token")
    channel, card = event.inner("channel"), event.inner("message")
    if sender is None or number is None or not token:
        return Unreadable("an interaction without a usable sender, number or token")
    if "guild_id" not in event and channel.number("type") != _DIRECT:
        return Ignored("a press on a message elsewhere")
    address = used_at(event, sender)
    if address is not None and event.number("type") == COMMAND:
        return _command(event, sender, Where(address, event.id("channel_id") or ""), own)
    if address is None or card.id("id") is None:
        return Unreadable("an interaction without a usable chat or message")
    match event.number("type"):
        case kind if kind == PRESS:
            return read_press(event) or Unreadable("a press that says nothing")
        case kind if kind == WORDS:
            channel_id = event.id("channel_id") or ""
            asked = asked_by(event.inner("data").text("custom_id") or "")
            quote = replace(quote_of(card, own, sender.user_id, channel_id), asked=asked)
            return _words(event, Where(address, channel_id), quote)
        case _:
            return Ignored("an interaction of another kind")


def _command(event: Fields, sender: Sender, where: Where, own: Own) -> Inbound:
    """Returns a command of Discord's list as the message that would have said the same."""
    data = event.inner("data")
    text, quote = command_text(data), None
    if not text:
        target = data.inner("resolved").inner("messages").inner(data.id("target_id") or "")
        if "id" not in target:
            return Unreadable("a command on a message that is not there")
        text, quote = _ABOUT, quote_of(target, own, sender.user_id, where.channel)
    return _unposted(event, where, sender, text, quote)


def _words(event: Fields, where: Where, quote: Quote) -> Inbound:
    """Returns the words of a dialogue as an answer to the message whose button asked for them."""
    sender, number = user_of(event), event.id("id")
    typed = [
        one.text("value") or ""
        for row in event.inner("data").items("components")
        for one in row.items("components")
    ]
    text = "\n".join(filter(None, typed))
    if sender is None or number is None or not text.strip():
        return Unreadable("a dialogue without words")
    return _unposted(event, where, sender, text, quote)


_OF_PLACES = {INVITED: _invited, LEFT_OUT: _left_out}


def _unposted(
    event: Fields, where: Where, sender: Sender, text: str, quote: Quote | None
) -> InboundMessage:
    """Returns words that came by an interaction: no message of theirs stands in the channel."""
    number = event.id("id") or ""
    return InboundMessage(
        where.address,
        sender,
        number,
        text,
        time_of(number),
        where.private,
        quote,
        language=_language(event),
        posted=False,
    )


def _language(event: Fields) -> str:
    """Returns the language of the app that an interaction tells; a message tells none."""
    return (event.text("locale") or "")[:_LONGEST_CODE]
