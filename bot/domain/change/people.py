"""Writes of people, their accounts and what they did."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from bot.domain.rights import Pace, Rights


@dataclass(frozen=True, slots=True)
class SaveTerms:
    """Sets the rights and the pace of a person; a `pace` of None is the common one."""

    person: int
    rights: Rights
    pace: Pace | None


@dataclass(frozen=True, slots=True)
class SaveProfile:
    """Sets what a person says about themselves, and the person's time zone."""

    person: int
    about: str
    timezone: str | None


@dataclass(frozen=True, slots=True)
class LinkAccount:
    """Gives an account (`channel:id`) to a person, even when another person had it."""

    account: str
    person: int


@dataclass(frozen=True, slots=True)
class Revoke:
    """Removes a person with accounts, rights and rules; drops waiting messages and stops turns.

    `how` is the reason for the turns, as in AskStop. Open cards end with their turns; the caller
    withdraws those that were set aside one by one.
    """

    person: int
    how: str


@dataclass(frozen=True, slots=True)
class AddAudit:
    """One line of the permanent record: a person, an action, its subject, and the details."""

    at: datetime
    chat: int | None
    person: int | None
    action: str
    subject: str
    details: Mapping[str, Any]


PeopleWrite: TypeAlias = SaveTerms | SaveProfile | LinkAccount | Revoke | AddAudit
