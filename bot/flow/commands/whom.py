"""Whom a command means, and how people are named in answers."""

import re

from bot.domain.person import AT_THE_MACHINE
from bot.domain.tool import clipped
from bot.flow.commands.table import Invocation

_ACCOUNT = re.compile(r"(?:([a-z]+):)?([0-9]{1,20})")
_MARKS = re.compile(r"([\\`*_~|\[\]()<>#!])")
_LONGEST_NAME = 60


def account_of(word: str, channel: str) -> str | None:
    """The account (`channel:id`) that a word names; a bare number is one of this channel."""
    found = _ACCOUNT.fullmatch(word.lower())
    if found is None or found[1] == AT_THE_MACHINE:
        return None
    known = found[1] or channel
    return None if known == AT_THE_MACHINE else f"{known}:{int(found[2])}"


def whom(asked: Invocation) -> tuple[str | None, tuple[str, ...]]:
    """The account meant by the first word, or by the message replied to, and the words left."""
    message = asked.message
    named = account_of(asked.words[0], message.address.channel) if asked.words else None
    if named is not None:
        return named, asked.words[1:]
    return (message.quote.account if message.quote is not None else None), asked.words


def harmless(name: str) -> str:
    """A name on one line, without what Markdown or a direction mark would make of it."""
    shown = "".join(c if c.isprintable() else " " for c in name)
    return _MARKS.sub(r"\\\1", clipped(" ".join(shown.split()), _LONGEST_NAME)) or "someone"
