"""Stretches of time that bills are made of."""

from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from bot.domain.value import frozen


class Span(StrEnum):
    DAY = "day"
    WEEK = "week"
    MONTH = "month"


_DAYS = {Span.WEEK: 7, Span.MONTH: 30}


@frozen
class Period:
    """The stretches of time of one answer, by their beginnings and their names."""

    name: str
    begins: tuple[datetime, ...]
    names: tuple[str, ...]
    zone: str


def period_of(span: Span, now: datetime, zone: str) -> Period:
    """Returns the hours of today, or the last days up to today, in a time zone."""
    here = ZoneInfo(zone)
    local = now.astimezone(here)
    if span is Span.DAY:
        # Counted from midnight in UTC, so that a day on which the clock changes has 23 or 25.
        first = datetime.combine(local.date(), time(), here).astimezone(UTC)
        count = int((now - first) / timedelta(hours=1)) + 1
        begins = tuple(first + timedelta(hours=n) for n in range(count))
        names = tuple(f"{begin.astimezone(here):%H}" for begin in begins)
        return Period("today", begins, names, zone)
    days = [local.date() - timedelta(days=n) for n in range(_DAYS[span] - 1, -1, -1)]
    begins = tuple(datetime.combine(day, time(), here).astimezone(UTC) for day in days)
    form = "%a %d" if span is Span.WEEK else "%d"
    names = tuple(f"{day:{form}}" for day in days)
    return Period(f"{_DAYS[span]} days", begins, names, zone)
