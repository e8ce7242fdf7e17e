"""The time for rows without a time of their own."""

from collections.abc import Callable
from datetime import UTC, datetime

Now = Callable[[], datetime]
"""Returns the time, with its zone."""


def wall_clock() -> datetime:
    return datetime.now(UTC)
