"""The time that rows get which carry none of their own."""

from collections.abc import Callable
from datetime import UTC, datetime

Now = Callable[[], datetime]
"""Tells the time, with its zone."""


def wall_clock() -> datetime:
    return datetime.now(UTC)
