"""The account of another person that a command is about."""

import re

from bot.domain.person import AT_THE_MACHINE
from bot.flow.commands.table import Invocation

_ACCOUNT = re.compile(r"(?:([a-z]+):)?([0-9]{1,20})")


def account_of(word: str, channel: str) -> str | None:
    """Returns the account (`channel:id`) a word names; a bare number is one of this channel."""
    found = _ACCOUNT.fullmatch(word.lower())
    if found is None or found[1] == AT_THE_MACHINE:
        return None
    known = found[1] or channel
    return None if known == AT_THE_MACHINE else f"{known}:{int(found[2])}"


def account_meant(asked: Invocation) -> tuple[str | None, tuple[str, ...]]:
    """Returns the account of the first word, or of the message replied to, and the words left."""
    message = asked.message
    named = account_of(asked.words[0], message.address.channel) if asked.words else None
    if named is not None:
        return named, asked.words[1:]
    return (message.quote.account if message.quote is not None else None), asked.words
