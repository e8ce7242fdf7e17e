"""How long somebody had to wait for a processor, as the kernel counts it."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

_ACCOUNT = Path("/proc/pressure/cpu")
_LOOK_EVERY = 0.1
_BUSY_SHARE = 0.1
"""Share of the time in which somebody waited for a processor, from which on a machine is busy."""


def waited_for_processors() -> float:
    """Returns the seconds since the machine began in which somebody waited.

    A kernel that does not count them has a machine that is always busy.
    """
    try:
        some = _ACCOUNT.read_text().splitlines()[0]
    except OSError:
        return time.monotonic()
    return int(some.rpartition("total=")[2]) / 1e6


class Pressure:
    """Keeps the last minutes of the account."""

    def __init__(self, waited: Callable[[], float] = waited_for_processors) -> None:
        self._waited = waited
        self._seen: deque[tuple[float, float]] = deque(maxlen=3_000)

    def look(self, now: float) -> None:
        """Notes the account at this moment of the wall clock, unless it did so just now."""
        if not self._seen or now - self._seen[-1][0] >= _LOOK_EVERY:
            self._seen.append((now, self._waited()))

    def busy(self, since: float, until: float) -> bool:
        """Returns whether somebody waited for a processor in a part of this time."""
        # A copy is made in one step, and another thread may look meanwhile.
        near = [one for one in tuple(self._seen) if since <= one[0] <= until]
        if len(near) < 2:
            return False
        (begin, before), (end, after) = near[0], near[-1]
        return after - before >= _BUSY_SHARE * (end - begin)
