"""The number of calls that hooks may take in a minute."""

from collections import deque

from bot.ports.clock import Clock

A_MINUTE = 60.0
EACH = 30
"""Calls of one hook in a minute."""

ALL = 120
"""Calls of all hooks in a minute."""


class HookPace:
    """Counts calls in memory: a restart forgets at most a minute."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._all: deque[float] = deque()
        self._each: dict[str, deque[float]] = {}

    def wait(self, hook: str) -> float:
        """Returns the seconds until a call may come; 0 counts it as one that has come."""
        now = self._clock.steady()
        mine = self._each.setdefault(hook, deque())
        for times in (mine, self._all):
            while times and times[0] <= now - A_MINUTE:
                times.popleft()
        full = [times for times, most in ((mine, EACH), (self._all, ALL)) if len(times) >= most]
        if full:
            return max(times[0] for times in full) + A_MINUTE - now
        mine.append(now)
        self._all.append(now)
        return 0.0
