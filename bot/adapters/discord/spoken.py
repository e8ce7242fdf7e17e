"""Reads the words of a message: mentions as numbers, and whether the bot is meant."""

import re

from bot.adapters.discord.fields import Fields
from bot.domain.value import frozen

_MENTION = re.compile(r"<@(?P<kind>[!&]?)(?P<id>[0-9]{1,20})>")
_NAMED = re.compile(
    r"(?P<before>\s*(?:<@[!&]?[0-9]{1,20}>\s*)?/[a-z_]+\s+)<@!?(?P<id>[0-9]{1,20})>(?=\s|$)",
    re.IGNORECASE,
)
"""A command whose first word is a mention, perhaps behind a mention of the bot."""

_LONGEST_NAME = 80


@frozen
class Own:
    """The bot's own account, and its own role in the server of a message."""

    id: str
    role: str = ""


@frozen
class Spoken:
    text: str
    """The words, with `@` and the number of an account for each mention: no name is among them."""
    addressed: bool
    """True when the bot is mentioned."""
    named: tuple[tuple[str, str], ...] = ()
    """The numbers of the mentioned accounts, with the names that they chose themselves."""

    @property
    def with_names(self) -> str:
        """Returns the words with the names in place of the numbers, for people alone."""
        text = self.text
        for number, name in self.named:
            text = text.replace(f"@{number}", f"@{name}")
        return text


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
    called, found_names = False, dict[str, str]()

    def shown(found: re.Match[str]) -> str:
        nonlocal called
        number, role = found["id"], found["kind"] == "&"
        if number == (own.role if role else own.id):
            called = True
            return ""
        if role or number is None:
            return found[0]
        if name := names.get(number):
            found_names[number] = name
        return f"@{number}"

    text = _MENTION.sub(shown, text)
    # A space stood on each side of the mention.
    said = " ".join(text.split(" ")).strip() if called else text
    return Spoken(said, called, tuple(found_names.items()))
