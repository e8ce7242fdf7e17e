"""Stretches in which the program kept everybody waiting."""

from dataclasses import dataclass

LONGEST_HOLD = 0.1
"""Seconds that anything may keep everybody waiting."""


@dataclass(frozen=True, slots=True)
class Holds:
    """Counts of one run of the program."""

    times: int = 0
    """The number of times that everybody had to wait for more than `LONGEST_HOLD`."""
    longest: float = 0.0
    """The longest of them, in seconds."""
    by: str = ""
    """The code that caused the longest: file, line and function."""

    def more(self, seconds: float, by: str) -> "Holds":
        """Returns the counts with one more hold."""
        if seconds <= self.longest:
            return Holds(self.times + 1, self.longest, self.by)
        return Holds(self.times + 1, seconds, by)


def never_held() -> Holds:
    """Returns the counts of a program that nobody watches."""
    return Holds()
