"""Reads reactions of people: thumbs are opinions, and everything else is passed over."""

from dataclasses import replace

from bot.adapters.discord.addresses import place_of, sender_of
from bot.adapters.discord.fields import Fields
from bot.domain.talk.feedback import Opinion, opinion_in
from bot.domain.talk.message import Inbound, Reaction, Unreadable

ADDED, REMOVED = "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE"
REACTIONS = (ADDED, REMOVED)


def may_be_feedback(event: Fields, own_id: str) -> bool:
    """Returns True for a person's thumb on a message that may be the bot's own."""
    author = event.id("message_author_id")
    of_bot = event.id("user_id") == own_id or event.inner("member").inner("user").flag("bot")
    return _opinion(event) is not None and not of_bot and author in (None, own_id)


def read_reaction(event: Fields, place: Fields, *, taken_back: bool) -> Inbound:
    """Returns the opinion that an event gives or takes back."""
    person, message, verdict = event.id("user_id"), event.id("message_id"), _opinion(event)
    member = event.inner("member")
    user = member.inner("user")
    sender = sender_of(user if "id" in user else Fields({"id": person}), member)
    address = None if person is None else place_of(event, person, place.id("parent"))
    if sender is None or address is None or message is None or verdict is None:
        return Unreadable("a reaction without a usable person, chat, message or emoji")
    if "id" not in user:
        # In private no name is told, and a number is none.
        sender = replace(sender, name="")
    return Reaction(address, sender, message, verdict, taken_back)


def _opinion(event: Fields) -> Opinion | None:
    emoji = event.inner("emoji")
    # Servers have emoji of their own, whose names say nothing.
    return opinion_in(emoji.text("name") or "") if emoji.id("id") is None else None
