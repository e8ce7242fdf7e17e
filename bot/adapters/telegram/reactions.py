"""Reads a change of a person's reactions to a message: only thumbs count."""

from bot.adapters.telegram.addresses import CHANNEL
from bot.adapters.telegram.fields import Fields
from bot.adapters.telegram.senders import sender_of
from bot.domain.talk.feedback import Opinion, opinion_in
from bot.domain.talk.message import Address, Ignored, Inbound, Reaction, Unreadable


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
