"""Finds the times of cron rules on a wall; the library is loaded when the first rule needs it."""

from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Protocol

from bot.domain.clock.when import Cron, weekdays_of


class _Trigger(Protocol):
    def get_next_fire_time(self, previous_fire_time: None, now: datetime) -> datetime | None: ...


class CronCalendar:
    """Asks triggers in UTC, where no clock is ever moved: zones are the business of the domain."""

    def after(self, rule: Cron, wall: datetime) -> datetime | None:
        """Returns the first time of the rule after a time on the wall."""
        start = wall.replace(tzinfo=UTC, microsecond=0) + timedelta(seconds=1)
        try:
            found = [trigger.get_next_fire_time(None, start) for trigger in _triggers(rule)]
        except (ValueError, OverflowError):
            # Its calendar ends with the year 9999.
            return None
        times = [at.replace(tzinfo=None) for at in found if at is not None]
        return min(times, default=None)


@lru_cache(maxsize=1_024)
def _triggers(rule: Cron) -> tuple[_Trigger, ...]:
    """Returns the triggers of a rule: two when it names days of both kinds, as cron joins them."""
    if rule.day.startswith("*") or rule.weekday.startswith("*"):
        return (_trigger(rule, rule.day, rule.weekday),)
    return (_trigger(rule, rule.day, "*"), _trigger(rule, "*", rule.weekday))


def _trigger(rule: Cron, day: str, weekday: str) -> _Trigger:
    from apscheduler.triggers.cron import CronTrigger

    # Cron counts the days of the week from Sunday, the library from Monday.
    days = sorted((number - 1) % 7 for number in weekdays_of(weekday))
    return CronTrigger(
        minute=rule.minute,
        hour=rule.hour,
        day="last" if day == "L" else day,
        month=rule.month,
        day_of_week=",".join(map(str, days)),
        second=0,
        timezone=UTC,
    )
