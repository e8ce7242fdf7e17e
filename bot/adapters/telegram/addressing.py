"""Tells if a message of a group is meant for the bot, and cuts the mention out of its words."""

import re
from collections.abc import Iterator

from bot.adapters.telegram.fields import Fields
from bot.domain.value import frozen


@frozen
class Own:
    """The bot's own account: its user id and, once it is known, its user name."""

    id: str
    name: str = ""


@frozen
class Spoken:
    """A group's message as the bot hears it; `elsewhere` is a command for another bot."""

    text: str
    addressed: bool
    elsewhere: bool = False


def spoken(message: Fields, text: str, own: Own) -> Spoken:
    """Cuts mentions of the bot out: they are the address, not the message."""
    # Offsets and lengths of entities count UTF-16 units, two bytes each.
    wide = text.encode("utf-16-le")
    addressed = _replies_to(message, own.id) or _named_in_rich(message, text, own)
    kept, end = b"", 0
    for entity, start, stop in _entities(message, len(wide)):
        words = wide[start:stop].decode("utf-16-le", "replace").lower()
        if start == 0 and entity.text("type") == "bot_command":
            bot = words.partition("@")[2]
            if bot and bot != own.name.lower():
                return Spoken(text, addressed=False, elsewhere=True)
            addressed = True
        elif start >= end and _mentions(entity, words, own):
            addressed = True
            kept, end = kept + wide[end:start].removesuffix(_SPACE), stop
    if not end:
        return Spoken(text, addressed)
    left = (kept + wide[end:]).decode("utf-16-le", "replace")
    return Spoken(left.strip(), addressed=True)


_SPACE = " ".encode("utf-16-le")


def _entities(message: Fields, longest: int) -> Iterator[tuple[Fields, int, int]]:
    """Yields each entity with the bytes it covers; leaves out entities beyond the text."""
    name = "entities" if "text" in message else "caption_entities"
    for entity in message.items(name):
        start, length = entity.number("offset"), entity.number("length")
        if start is None or length is None or start < 0 or length <= 0:
            continue
        if 2 * (start + length) <= longest:
            yield entity, 2 * start, 2 * (start + length)


def _mentions(entity: Fields, words: str, own: Own) -> bool:
    match entity.text("type"):
        case "mention":
            return bool(own.name) and words == f"@{own.name.lower()}"
        case "text_mention":
            return (entity.inner("user") or Fields(None)).id("id") == own.id
        case _:
            return False


def _named_in_rich(message: Fields, text: str, own: Own) -> bool:
    """Tells if a rich message, which has no list of entities, names the bot among its words."""
    if "rich_message" not in message or not own.name:
        return False
    return re.search(rf"(?<![\w@/.])@{re.escape(own.name)}(?!\w)", text, re.IGNORECASE) is not None


def _replies_to(message: Fields, own_id: str) -> bool:
    reply = message.inner("reply_to_message")
    if reply is None or "forum_topic_created" in reply:
        return False
    return (reply.inner("from") or Fields(None)).id("id") == own_id
