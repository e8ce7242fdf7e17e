"""Writes of paid calls and budgets."""

from datetime import datetime
from typing import TypeAlias

from bot.domain.money.budget import Cause, Scope
from bot.domain.money.model import Usage
from bot.domain.money.money import Nano
from bot.domain.value import frozen


@frozen
class AddUsage:
    """Records the tokens and the cost of one paid call, in place of what was known of it before."""

    call: str
    """Names the call; the same name again replaces the record."""
    cause: Cause
    model: str
    at: datetime
    usage: Usage
    cost: Nano | None
    """Its price; None when no price is known."""
    estimated: bool = False
    """True when the provider has not told the tokens: it never did, or the call was cut off."""


@frozen
class DropUsage:
    """Takes the record of a call back that was not made after all."""

    call: str


@frozen
class SetBudget:
    """Sets a budget in place of the setting; `money` of None means no bound."""

    scope: Scope
    money: Nano | None
    by: str
    at: datetime


MoneyWrite: TypeAlias = AddUsage | DropUsage | SetBudget
