"""The times of a task: rules, and what they mean on the clocks of a time zone.

A rule that names an hour counts on the wall: it comes once a day, whatever the zone does. An hour
that is skipped when clocks go forward comes as much later as the clocks were moved, and an hour
that comes twice counts the first time. A rule that leaves the hour open comes in every real hour.
"""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeAlias
from zoneinfo import ZoneInfo

from bot.domain.value import frozen

LEAST_SECONDS = 60
"""Seconds between two times of a task that repeats."""

_AROUND = timedelta(hours=26)
"""The time around a moment in which a change of the clocks matters for it."""


class WhenUnclear(ValueError):
    """Words that name no time, or none that a task can have; the text is a sentence for people."""


@frozen
class Once:
    """One moment."""

    at: datetime
    kind: Literal["once"] = "once"


@frozen
class Every:
    """Every so many seconds, counted from the start; clocks that are moved do not matter."""

    seconds: int
    start: datetime
    kind: Literal["every"] = "every"


@frozen
class EveryDays:
    """Every so many days at the same time on the wall, counted from the start."""

    days: int
    start: datetime
    kind: Literal["days"] = "days"


@frozen
class Cron:
    """The five fields of cron; `L` as the day is the last one of the month."""

    minute: str
    hour: str
    day: str = "*"
    month: str = "*"
    weekday: str = "*"
    kind: Literal["cron"] = "cron"

    @property
    def hour_is_open(self) -> bool:
        return self.hour.startswith("*")


Rule: TypeAlias = Once | Every | EveryDays | Cron

Walls: TypeAlias = Callable[[Cron, datetime], datetime | None]
"""Returns the first time of a cron rule after a time on a wall whose clock is never moved."""


def at_wall(wall: datetime, zone: ZoneInfo) -> datetime:
    """Returns the moment when clocks in the zone show this; a skipped time comes later."""
    return wall.replace(tzinfo=zone, fold=0).astimezone(UTC)


def next_time(rule: Rule, zone: str, after: datetime, walls: Walls) -> datetime | None:
    """Returns the first time of a rule after a moment, in UTC; None when there is none."""
    match rule:
        case Once(at):
            return at if at > after else None
        case Every(seconds, start):
            passed = max((after - start) // timedelta(seconds=seconds) + 1, 1)
            return start + timedelta(seconds=seconds * passed)
        case EveryDays():
            return _next_day(rule, ZoneInfo(zone), after)
        case Cron():
            return _next_of_cron(rule, ZoneInfo(zone), after, walls)


def next_times(
    rule: Rule, zone: str, after: datetime, walls: Walls, count: int
) -> Sequence[datetime]:
    """Returns the first times of a rule after a moment, at most so many."""

    found: list[datetime] = []
    while len(found) < count:
        coming = next_time(rule, zone, found[-1] if found else after, walls)
        if coming is None:
            break
        found.append(coming)
    return found


def last_missed(
    rule: Rule, zone: str, due: datetime, now: datetime, grace: timedelta, walls: Walls
) -> datetime | None:
    """Returns the newest time that is past and within the grace; `due` is the oldest one past.

    None when all of them are too long ago. A single moment is never too long ago.
    """
    if isinstance(rule, Once):
        return due
    newest = due if due >= now - grace else None
    at = max(due, now - grace - timedelta(seconds=1))
    if isinstance(rule, Every):
        step = timedelta(seconds=rule.seconds)
        at = max(at, rule.start + step * ((now - rule.start) // step - 1))
    at = _near(rule, zone, at, now, walls)
    while (coming := next_time(rule, zone, at, walls)) is not None and coming <= now:
        newest = at = coming
    return newest


def _near(rule: Rule, zone: str, at: datetime, now: datetime, walls: Walls) -> datetime:
    """Returns a moment behind which few times have come until now; `at` where there is no later.

    A task of every minute has 720 times in half a day, and only the newest is wanted.
    """
    back = timedelta(minutes=1)
    while (start := now - back) > at:
        coming = next_time(rule, zone, start, walls)
        if coming is not None and coming <= now:
            return start
        back *= 2
    return at


def _next_day(rule: EveryDays, zone: ZoneInfo, after: datetime) -> datetime:
    first = rule.start.astimezone(zone).replace(tzinfo=None)
    passed = (after.astimezone(zone).replace(tzinfo=None) - first).days // rule.days
    turn = max(passed - 1, 1)
    while (at := at_wall(first + timedelta(days=rule.days * turn), zone)) <= after:
        turn += 1
    return at


def _next_of_cron(rule: Cron, zone: ZoneInfo, after: datetime, walls: Walls) -> datetime | None:
    here = after.astimezone(zone).replace(tzinfo=None, fold=0)
    margin = abs(_offset(after + _AROUND, zone) - _offset(after - _AROUND, zone))
    best: datetime | None = None
    wall, until = walls(rule, here - margin), None
    while wall is not None and (until is None or wall <= until):
        for at in _moments(rule, wall, zone):
            if at > after and (best is None or at < best):
                best, until = at, wall + margin if until is None else until
        wall = walls(rule, wall)
    return best


def _offset(at: datetime, zone: ZoneInfo) -> timedelta:
    return at.astimezone(zone).utcoffset() or timedelta()


def _moments(rule: Cron, wall: datetime, zone: ZoneInfo) -> Sequence[datetime]:
    """Returns the moments that a time on the wall stands for: one, or with an open hour 0 to 2."""
    first = at_wall(wall, zone)
    if not rule.hour_is_open:
        return (first,)
    second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    both = dict.fromkeys((first, second))
    return [at for at in both if at.astimezone(zone).replace(tzinfo=None, fold=0) == wall]


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_DAYS_OF = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_PART = re.compile(r"(\*|[0-9a-z]{1,3})(?:-([0-9a-z]{1,3}))?(?:/([0-9]{1,2}))?")


def cron_of(fields: Sequence[str]) -> Cron:
    """Returns the rule of five fields; raises WhenUnclear."""
    if len(fields) != 5:
        raise WhenUnclear("A cron rule has five fields, as in `cron 0 9 * * 1-5`.")
    minute, hour, day, month, weekday = (field.lower() for field in fields)
    numbers(minute, 0, 59)
    numbers(hour, 0, 23)
    months = numbers(month, 1, 12, _MONTHS)
    weekdays_of(weekday)
    day = "L" if day == "l" else day
    days = {1} if day == "L" else numbers(day, 1, 31)
    named = day.startswith("*") or not weekday.startswith("*")
    if not named and all(min(days) > _DAYS_OF[one - 1] for one in months):
        raise WhenUnclear("There is no such day in those months.")
    return Cron(minute, hour, day, month, weekday)


def weekdays_of(field: str) -> set[int]:
    """Returns the days of the week of a cron field, Sunday as 0; raises WhenUnclear."""
    return {day % 7 for day in numbers(field, 0, 7, _DAYS)}


def numbers(field: str, least: int, most: int, names: Sequence[str] = ()) -> set[int]:
    """Returns the numbers that a cron field stands for; raises WhenUnclear."""
    found: set[int] = set()
    for part in field.split(","):
        match = _PART.fullmatch(part)
        if match is None:
            raise WhenUnclear(f"I cannot read `{part[:20]}` in a cron rule.")
        first = least if match[1] == "*" else _number(match[1], least, names)
        open_end = match[1] == "*" or (match[3] is not None and match[2] is None)
        last = _number(match[2], least, names) if match[2] else (most if open_end else first)
        step = int(match[3] or 1)
        if not least <= first <= last <= most or not step or (match[1] == "*" and match[2]):
            raise WhenUnclear(f"`{part[:20]}` is out of range in a cron rule.")
        found.update(range(first, last + 1, step))
    return found


def _number(word: str, least: int, names: Sequence[str]) -> int:
    if word in names:
        return names.index(word) + least
    if not word.isdigit():
        raise WhenUnclear(f"I cannot read `{word[:20]}` in a cron rule.")
    return int(word)
