"""Reads the words of a message: mentions as names, and whether the bot is meant."""

import re
from dataclasses import dataclass

from bot.adapters.discord.fields import Fields

_MENTION = re.compile(r"<@(?P<kind>[!&]?)(?P<id>[0-9]{1,20})>")
_NAMED = re.compile(
    r"(?P<before>\s*(?:<@[!&]?[0-9]{1,20}>\s*)?/[a-z_]+\s+)<@!?(?P<id>[0-9]{1,20})>(?=\s|$)",
    re.IGNORECASE,
)
"""A command whose first word is a mention, perhaps behind a mention of the bot."""

_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Own:
    """The bot's own account, and its own role in the server of a message."""

    id: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The words of a message as the bot hears them."""

    text: str
    addressed: bool


def spoken(message: Fields, own: Own) -> Spoken:
    """Cuts mentions of the bot out: they are the address, not the message.

    The person whom a command is about stands there with their number, which nobody else can have.
    """
    text = message.text("content") or ""
    named = _NAMED.match(text)
    if named is not None and named["id"] != own.id:
        text = f"{named['before']}{named['id']}{text[named.end() :]}"
    names = {
        one.id("id"): one.line("global_name", _LONGEST_NAME) or one.line("username", _LONGEST_NAME)
        for one in message.items("mentions")
    }
    called = False

    def shown(found: re.Match[str]) -> str:
        nonlocal called
        number, role = found["id"], found["kind"] == "&"
        if number == (own.role if role else own.id):
            called = True
            return ""
        name = "" if role else names.get(number)
        return f"@{name}" if name else found[0]

    text = _MENTION.sub(shown, text)
    # A space stood on each side of the mention.
    return Spoken(" ".join(text.split(" ")).strip() if called else text, called)
