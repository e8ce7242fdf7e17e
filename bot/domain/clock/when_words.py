"""Reads the words for a time or a rule that the program knows itself; all else is for a parser."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.domain.clock.when import (
    LEAST_SECONDS,
    Cron,
    Every,
    EveryDays,
    Once,
    Rule,
    WhenUnclear,
    at_wall,
    cron_of,
)

EXAMPLES = (
    "in 20m",
    "tomorrow 8:00",
    "at 2027-01-05 09:00",
    "every 2h",
    "every weekday 09:00",
    "every month on the last day",
    "cron 0 9 * * 1-5",
)
"""Words that `read_when` understands, for people who wrote others."""

LONGEST_WHEN = 100
"""Characters of the words for a time."""

_MOST_YEARS = 10
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_UNIT = r"(seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d|weeks?|w)"
_SPAN = re.compile(rf"(\d{{1,6}})\s*{_UNIT}(?![a-z])\s*(?:and\s+|,\s*)?")
_MINUTES_LEFT = re.compile(r"(\dh\s?\d{1,2})$")
"""“1h30”: the unit of the minutes is left out."""

_CLOCK = r"(?:at\s+)?(\d{1,2})(?::(\d{2}))?\s*(am|pm)?"
_TIME = re.compile(rf"(?:{_CLOCK}|(?:at\s+)?(noon|midnight))")
_DATE = re.compile(r"(?:(?:at|on)\s+)?(\d{4})-(\d{1,2})-(\d{1,2})(?:[t\s]+(.*))?")
_NTH = re.compile(r"(?:on\s+)?(?:the\s+)?(?:day\s+)?(\d{1,2})(?:st|nd|rd|th)?(?:\s+day)?\b\s*(.*)")
_LAST = re.compile(r"(?:on\s+)?(?:the\s+)?last(?:\s+day)?\b\s*(.*)")
_WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_NAMES = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAY = rf"(?:{'|'.join((*(f'{name}s?' for name in _NAMES), *_WEEK, 'tues', 'thur', 'thurs'))})"
_DAYS = re.compile(rf"(?:on\s+)?({_DAY}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+){_DAY})*)\b\s*(.*)")
_MORNING = (9, 0)
"""The hour and minute of a day for which no time is named."""


def read_when(words: str, now: datetime, zone: str) -> Rule | None:
    """Returns the rule that the words name; None when they are not of the known forms.

    Raises WhenUnclear when the form is known but the time cannot be had.
    """
    said = " ".join(words.lower().split()).rstrip(".")
    here = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)
    head, _, rest = said.partition(" ")
    match head:
        case "cron":
            return cron_of(rest.split())
        case "in":
            return _in(rest, now, zone)
        case "every" | "each":
            return _every(rest, now, zone)
        case "daily":
            return _daily("*", rest)
        case "hourly" if not rest:
            return Every(3600, now)
        case "today" | "tomorrow":
            return _on_day(here + timedelta(days=head == "tomorrow"), rest, now, zone)
        case _:
            return _at(said, here, now, zone)


def once(wall: datetime, now: datetime, zone: str) -> Once:
    """Returns the moment when clocks in the zone show this; raises WhenUnclear."""
    at = at_wall(wall, ZoneInfo(zone))
    if at <= now:
        raise WhenUnclear(f"{wall:%Y-%m-%d %H:%M} has passed already.")
    if at > now + timedelta(days=366 * _MOST_YEARS):
        raise WhenUnclear(f"That is more than {_MOST_YEARS} years away.")
    return Once(at)


def _in(rest: str, now: datetime, zone: str) -> Rule | None:
    rest = _MINUTES_LEFT.sub(r"\1m", rest)
    end, seconds, days = 0, 0, 0
    while (span := _SPAN.match(rest, end)) is not None:
        unit = span[2][0]
        if unit in "dw":
            days += int(span[1]) * _UNITS[unit] // _UNITS["d"]
        else:
            seconds += int(span[1]) * _UNITS[unit]
        end = span.end()
    if not end or end != len(rest):
        return None
    if not seconds + days:
        raise WhenUnclear("Name a time that is not now.")
    if days + seconds / 86_400 > 366 * _MOST_YEARS:
        raise WhenUnclear(f"That is more than {_MOST_YEARS} years away.")
    here = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)
    start = at_wall(here + timedelta(days=days), ZoneInfo(zone)) if days else now
    return Once(start + timedelta(seconds=seconds))


def _every(rest: str, now: datetime, zone: str) -> Rule | None:
    rest = re.sub(r"^(?=(?:second|minute|hour|week)\b)", "1 ", rest)
    if (span := _SPAN.match(rest)) is not None:
        return _repeated(int(span[1]), span[2][0], rest[span.end() :], now, zone)
    head, _, tail = rest.partition(" ")
    match head:
        case "day":
            return _daily("*", tail)
        case "weekday" | "workday":
            return _daily("1-5", tail)
        case "weekend":
            return _daily("0,6", tail)
        case "month":
            return _monthly(tail)
        case _:
            return _weekly(rest)


def _repeated(count: int, unit: str, tail: str, now: datetime, zone: str) -> Rule | None:
    """Returns the rule for so many units; days and weeks keep their time on the wall."""
    if unit in "smh":
        if tail:
            return None
        seconds = count * _UNITS[unit]
        if seconds < LEAST_SECONDS:
            raise WhenUnclear("That is too often: once in a minute is the most.")
        return Every(seconds, now)
    days = count * _UNITS[unit] // _UNITS["d"]
    if not days or days > 366 * _MOST_YEARS:
        raise WhenUnclear("Name a number of days from 1 on, up to ten years.")
    if unit == "w" and count == 1 and (weekly := _weekly(tail)) is not None:
        return weekly
    if not tail:
        return EveryDays(days, now)
    found = _time(tail)
    if found is None:
        return None
    here = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)
    first = here.replace(hour=found[0], minute=found[1], second=0, microsecond=0)
    # The first time is today if that is still to come: the start itself is no time of the rule.
    back = 0 if first <= here else days
    return EveryDays(days, at_wall(first - timedelta(days=back), ZoneInfo(zone)))


def _daily(weekday: str, tail: str) -> Rule | None:
    found = _time(tail)
    return None if found is None else Cron(str(found[1]), str(found[0]), weekday=weekday)


def _weekly(rest: str) -> Rule | None:
    named = _DAYS.fullmatch(rest)
    found = _time(named[2]) if named is not None else None
    if named is None or found is None:
        return None
    days = sorted({(_WEEK.index(one[:3]) + 1) % 7 for one in re.findall(_DAY, named[1])})
    return Cron(str(found[1]), str(found[0]), weekday=",".join(map(str, days)))


def _monthly(rest: str) -> Rule | None:
    if (last := _LAST.fullmatch(rest)) is not None:
        day, tail = "L", last[1]
    elif (nth := _NTH.fullmatch(rest)) is not None:
        day, tail = str(int(nth[1])), nth[2]
    else:
        day, tail = "1", rest
    found = _time(tail)
    return None if found is None else cron_of((str(found[1]), str(found[0]), day, "*", "*"))


def _at(said: str, here: datetime, now: datetime, zone: str) -> Rule | None:
    if (date := _DATE.fullmatch(said)) is not None:
        try:
            day = datetime(int(date[1]), int(date[2]), int(date[3]))  # noqa: DTZ001 - on the wall
        except ValueError:
            raise WhenUnclear(f"There is no day {said[:20]}.") from None
        return _on_day(day, date[4] or "", now, zone)
    found = _time(said) if said.startswith("at ") or ":" in said else None
    if found is None:
        return None
    wall = here.replace(hour=found[0], minute=found[1], second=0, microsecond=0)
    return once(wall if wall > here else wall + timedelta(days=1), now, zone)


def _on_day(day: datetime, rest: str, now: datetime, zone: str) -> Rule | None:
    found = _time(rest)
    if found is None:
        return None
    return once(day.replace(hour=found[0], minute=found[1], second=0, microsecond=0), now, zone)


def _time(text: str) -> Sequence[int] | None:
    """Returns the hour and the minute; in the morning when none is named, None if unreadable."""
    if not text.strip():
        return _MORNING
    match = _TIME.fullmatch(text.strip())
    if match is None:
        return None
    if match[4]:
        return (12 if match[4] == "noon" else 0, 0)
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        if not 1 <= hour <= 12:
            raise WhenUnclear(f"There is no time {text.strip()[:20]}.")
        hour = hour % 12 + (12 if match[3] == "pm" else 0)
    if hour > 23 or minute > 59:
        raise WhenUnclear(f"There is no time {text.strip()[:20]}.")
    return (hour, minute)
