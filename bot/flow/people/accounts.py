"""The account of another person that a command is about."""

import re
from dataclasses import replace

from bot.domain.talk.person import AT_THE_MACHINE, Person, Sender
from bot.domain.text.names import named
from bot.flow.commanding.table import Invocation

WHO, BRIEF = "<id | channel:id>", "<person>"
"""The word that names an account: as the pages give it, and as the help does."""

_NO_NAME = "A user name is not enough: later it may belong to somebody else."
_NEWCOMERS, _KNOWN = "They see their number when they write to me.", "/people shows the numbers."
"""The place of the number: for people who have no access yet, and for those who have."""

_NUMBERS = (
    "Who? Write their number, as in `{command} {who}`, or reply to one of their messages with "
    f"`{{command}}`. {{where}} {_NO_NAME}"
)
_FROM_A_LIST = f"Who? Write their number, as in `{{command}} {{who}}`. {{where}} {_NO_NAME}"
_BY_MENTION = (
    "Who? Mention them, as in `{command} @Bob`, or write their number, as in `{command} {who}`. "
    "{where} A name without a mention is not enough: later it may belong to somebody else."
)
_FROM_HERE = (
    f"Who? Write the platform and their number, as in `{{command}} {{who}}`. {{where}} {_NO_NAME}"
)
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
    """Returns a question for the person; in the terminal a number alone names nobody.

    A command that was chosen from a list answers no message, so it cannot be a reply.
    """
    number = asked.words[0] if asked.words else ""
    if number.isascii() and number.isdecimal() and len(asked.words) == 1:
        return _WHERE.format(number=number)
    # In a group the name of the bot may stand behind the command.
    command = asked.message.text.split(maxsplit=1)[0].partition("@")[0]
    if _at_the_machine(asked):
        how = _FROM_HERE
    elif asked.message.posted:
        how = _NUMBERS
    else:
        how = _FROM_A_LIST if asked.chat.private else _BY_MENTION
    where = _NEWCOMERS if command == "/allow" else _KNOWN
    return how.format(command=command, who=example(asked), where=where)


def example(asked: Invocation) -> str:
    """Returns an account as a person would write it here, for an example of a command."""
    return "telegram:42" if _at_the_machine(asked) else "42"


def _at_the_machine(asked: Invocation) -> bool:
    return asked.message.address.channel == AT_THE_MACHINE


def sender_of(account: str) -> Sender:
    """Returns the account as a sender that has not written yet: its name is its key."""
    channel, _, number = account.partition(":")
    return Sender(channel, number, account)


def account_named(asked: Invocation, account: str) -> Sender:
    """Returns the account as a sender; with its name if the message replied to shows it."""
    sender, quote = sender_of(account), asked.message.quote
    if quote is None or quote.account != account:
        return sender
    return replace(sender, name=quote.author)


def called(person: Person, account: str) -> str:
    """Returns the name of a person, and the account where that says more."""
    return account if person.name == account else f"{named(person.name)} ({account})"
