"""Budgets: what may be spent in a day by everybody, in a day by one person, and in one turn."""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import TypeAlias
from zoneinfo import ZoneInfo

from bot.domain.money.model import Price, Usage
from bot.domain.money.money import Nano
from bot.domain.value import frozen

_WARNED = 80
"""Per cent of a budget at which people are told."""


class Scope(StrEnum):
    """The spending that a budget bounds."""

    DAY = "day"
    PERSON = "person"
    TURN = "turn"


class CallKind(StrEnum):
    """The purpose of a paid call."""

    ANSWER = "turn"
    SUMMARY = "summary"
    EMBEDDING = "embedding"
    HEARING = "hearing"
    SPEAKING = "speaking"


@frozen
class Cause:
    """The reason for a paid call; each field but the kind may be unknown."""

    kind: CallKind
    chat: int | None = None
    person: int | None = None
    turn: str = ""
    skill: str | None = None


@frozen
class Limit:
    """One budget, with whoever set it; `money` is None for no bound."""

    money: Nano | None = None
    by: str = ""
    """The name of the owner who set it in a chat; empty for a setting."""


Budgets: TypeAlias = Mapping[Scope, Limit]
"""The budget of each scope; a scope that is missing has no bound."""


@frozen
class Purse:
    """One budget as it stands: whose it is, since when it counts, and what is gone."""

    scope: Scope
    limit: Nano
    spent: Nano
    """Money that was spent, and the least cost of calls that are being made."""
    since: datetime
    until: datetime | None
    """When it starts anew; None for the budget of a turn."""
    zone: str
    subject: str = ""
    """The person or the turn; empty for everybody."""

    @property
    def left(self) -> Nano:
        return max(self.limit - self.spent, 0)

    @property
    def warned(self) -> bool:
        """Returns True when so much is gone that people are told."""
        return self.spent * 100 >= self.limit * _WARNED

    def refuses(self, least: Nano) -> bool:
        """Returns True for a call that would pass the budget; a free call never does."""
        return least > 0 and self.spent + least > self.limit

    @property
    def key(self) -> str:
        """Names this budget on this day, with its height: a raised one is another one."""
        return f"{self.scope}:{self.subject}:{self.since:%Y%m%d%H%M}:{self.limit}"


def least_cost(price: Price, tokens: int) -> Nano:
    """Returns the least that a call can cost: its prompt all from the cache, and one token out."""
    cheapest = price.input if price.input < price.cache_read else price.cache_read
    return Price(cheapest, price.output, cheapest, cheapest).cost(Usage(tokens, 1))


def day_of(moment: datetime, zone: str) -> tuple[datetime, datetime]:
    """Returns the beginning and the end of the day in a time zone, in which the moment lies."""
    here = ZoneInfo(zone)
    today = moment.astimezone(here).date()
    begin, end = (datetime.combine(today + timedelta(days=n), time(), here) for n in (0, 1))
    return begin.astimezone(UTC), end.astimezone(UTC)
