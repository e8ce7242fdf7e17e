"""The pauses of a courier after faults."""

from collections.abc import Callable
from typing import TypeAlias

FIRST_DELAY_SECONDS = 1.0
LONGEST_DELAY_SECONDS = 60.0

Jitter: TypeAlias = Callable[[], float]
"""A number from 0 to 1."""


class Pauses:
    """Each pause is twice as long as the one before, until something succeeds."""

    def __init__(self, jitter: Jitter) -> None:
        self._jitter = jitter
        self._faults = 0

    def next(self) -> float:
        """Returns the seconds to wait: doubled each time, at most 60, less up to a random half."""
        longest = min(FIRST_DELAY_SECONDS * 2 ** min(self._faults, 10), LONGEST_DELAY_SECONDS)
        self._faults += 1
        return longest * (1 - self._jitter() / 2)

    def over(self) -> None:
        """Notes a success: the next pause is short again."""
        self._faults = 0
