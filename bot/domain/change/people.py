"""Writes of people, their accounts and what they did."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from bot.domain.talk.rights import Pace, Rights
from bot.domain.value import frozen


@frozen
class SaveTerms:
    """Sets the rights and the pace of a person; a `pace` of None is the common one.

    Conflict when rights are expected that the person no longer has.
    """

    person: int
    rights: Rights
    pace: Pace | None
    expect: Rights | None = None


@frozen
class SaveProfile:
    """Sets what a person says about themselves, and the person's time zone."""

    person: int
    about: str
    timezone: str | None


@frozen
class LinkAccount:
    """Gives an account (`channel:id`) to a person, even when another person had it."""

    account: str
    person: int


@frozen
class JoinPeople:
    """Gives everything of one person to another one: two numbers were the same person.

    The row of the leaving person stays for the record, without account and rights; what the staying
    one has said about themselves counts first. Conflict while a turn, a card or a message of the
    leaving person is open, and when one of them has no account.
    """

    leaving: int
    staying: int


@frozen
class CheckAccess:
    """Conflict when a person has no account any more: access ended, or another person has it now.

    It stands first in a change that was made for a person a moment ago.
    """

    person: int


@frozen
class Revoke:
    """Removes a person with accounts, rights and rules; drops waiting messages and stops turns.

    `how` is the reason for the turns, as in AskStop. Open cards end with their turns; the caller
    withdraws those that were set aside one by one.
    """

    person: int
    how: str


@frozen
class AddAudit:
    """One line of the permanent record: a person, an action, its subject, and the details."""

    at: datetime
    chat: int | None
    person: int | None
    action: str
    subject: str
    details: Mapping[str, Any]


PeopleWrite: TypeAlias = (
    SaveTerms | SaveProfile | LinkAccount | JoinPeople | CheckAccess | Revoke | AddAudit
)
