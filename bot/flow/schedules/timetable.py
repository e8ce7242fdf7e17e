"""Understands words for times, and tells when they come."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from bot.domain.assignments.task import TimedTask
from bot.domain.clock.when import Every, EveryDays, Once, Rule, WhenUnclear, last_missed, next_times
from bot.domain.clock.when_words import EXAMPLES, LONGEST_WHEN, once, read_when
from bot.ports.timing import CronTimes, MomentWords

_SHOWN = 60


class Timetable:
    """Reads the forms it knows itself; only other words are given to the parser of words."""

    def __init__(self, calendar: CronTimes, words: MomentWords) -> None:
        self._calendar = calendar
        self._words = words

    async def understood(self, words: str, now: datetime, zone: str, language: str = "") -> Rule:
        """Returns the rule that words name; raises WhenUnclear with a sentence for people."""
        said = " ".join(words.split())
        found = read_when(said, now, zone) if 0 < len(said) <= LONGEST_WHEN else None
        if found is None and 0 < len(said) <= LONGEST_WHEN:
            found = await self._moment(said, now, zone, language)
        if found is None:
            *most, last = (f"`{one}`" for one in EXAMPLES)
            raise WhenUnclear(
                f"I do not understand “{said[:_SHOWN]}” as a time. I understand, for example: "
                f"{', '.join(most)} or {last}."
            )
        if not self.times(found, zone, now, 1) and not isinstance(found, Once):
            raise WhenUnclear("That time never comes.")
        return found

    def times(self, rule: Rule, zone: str, after: datetime, count: int) -> Sequence[datetime]:
        """Returns the first times of a rule after a moment, at most so many."""
        return next_times(rule, zone, after, self._calendar.after, count)

    def next_of(self, task: TimedTask, after: datetime) -> datetime | None:
        """Returns the first time of a task after a moment."""
        return next(iter(self.times(task.rule, task.zone, after, 1)), None)

    def from_now(self, task: TimedTask, now: datetime) -> TimedTask:
        """Returns a task planned again from now on, because the clock was set back.

        Times that are counted from a start which is still to come are counted from now.
        """
        rule = task.rule
        if isinstance(rule, Once):
            return task.changed(planned_at=now)
        if isinstance(rule, Every | EveryDays) and rule.start > now:
            rule = replace(rule, start=now)
        planned = task.changed(rule=rule, planned_at=now)
        return replace(planned, due=self.next_of(planned, now))

    def missed(self, task: TimedTask, now: datetime, grace: timedelta) -> datetime | None:
        """Returns the newest time that has come since the task was due; None if all are too old."""
        due = task.due or now
        return last_missed(task.rule, task.zone, due, now, grace, self._calendar.after)

    async def _moment(self, said: str, now: datetime, zone: str, language: str) -> Once | None:
        here = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None, fold=0)
        wall = await self._words.read(said, here, zone, language)
        return None if wall is None else once(wall, now, zone)
