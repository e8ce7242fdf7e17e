"""The account of another person that a command is about."""

import re

from bot.domain.person import AT_THE_MACHINE, Person, Sender
from bot.flow.commands.table import Invocation
from bot.flow.commands.terms import named

WHO, BRIEF = "<id | channel:id>", "<number>"
"""The word that names an account: as the pages give it, and as the help does."""

_NO_NAME = "A user name is not enough: it can change hands."
_NUMBER = "They see their number when they write to me."
_NUMBERS = f"Who? Give their number, or reply to one of their messages. {_NUMBER} {_NO_NAME}"
_FROM_HERE = f"Who? Give the platform and their number, as in `telegram:42`. {_NUMBER} {_NO_NAME}"
_WHERE = "On which platform is that number? Write it as `telegram:{number}`."
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


def whom(asked: Invocation) -> str:
    """Returns a question for the person; in the terminal a number alone names nobody."""
    number = asked.words[0] if asked.words else ""
    if number.isascii() and number.isdecimal() and len(asked.words) == 1:
        return _WHERE.format(number=number)
    here = asked.message.address.channel == AT_THE_MACHINE
    return _FROM_HERE if here else _NUMBERS


def sender_of(account: str) -> Sender:
    """Returns the account as a sender that has not written yet: its name is its key."""
    channel, _, number = account.partition(":")
    return Sender(channel, number, account)


def called(person: Person, account: str) -> str:
    """Returns the name of a person, and the account where that says more."""
    return account if person.name == account else f"{named(person.name)} ({account})"
