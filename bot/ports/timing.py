"""The times of rules, and words for them."""

from collections.abc import Collection
from datetime import datetime
from typing import Protocol

from bot.domain.clock.when import Cron


class CronTimes(Protocol):
    """Knows the calendar of cron rules."""

    def after(self, rule: Cron, wall: datetime) -> datetime | None:
        """Returns the first time of a rule after a time on a wall whose clock is never moved."""
        ...


class MomentWords(Protocol):
    """Reads words for a moment in the languages of people."""

    async def read(self, words: str, here: datetime, zone: str, language: str) -> datetime | None:
        """Returns the time on the wall that words name, seen from `here`; None if they name none.

        `here` and the answer are times in `zone`. `language` is the code of the person's app; empty
        when nobody knows it.
        """
        ...


class ZonesAt(Protocol):
    """Knows the zones on the map."""

    async def __call__(self, latitude: float, longitude: float) -> Collection[str]:
        """Returns the zones in use at a place, in degrees; empty when none is known."""
        ...
