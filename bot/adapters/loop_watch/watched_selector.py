"""A selector that notes when the event loop works and when it is idle."""

import selectors
import threading
from time import monotonic
from typing import Any

from bot.domain.talk.hold import LONGEST_HOLD


class WatchedSelector(selectors.DefaultSelector):
    """Counts the laps of an event loop; a lap is all that runs between two looks for news.

    Whoever waits for the loop waits for the end of a lap. Another thread may read what is noted
    here at any time.
    """

    def __init__(self) -> None:
        super().__init__()
        self._laps = 0
        self.lap: tuple[int, float] | None = None
        """The number of the lap that runs and its start; None while the loop is idle."""
        self.long: tuple[int, float] = (0, 0.0)
        """The number and the seconds of the newest lap that was too long."""
        self._unwatched = False
        self._woken = threading.Event()

    def wait_for_work(self) -> None:
        """Blocks the calling thread while the loop is idle, or until `wake`."""
        self._unwatched = True
        # A lap that began before the line above wakes nobody.
        if self.lap is None:
            self._woken.wait()
        self._unwatched = False
        self._woken.clear()

    def wake(self) -> None:
        """Lets the thread go on that waits for work."""
        self._woken.set()

    def select(self, timeout: float | None = None) -> list[Any]:
        lap, self.lap = self.lap, None
        if lap is not None and (seconds := monotonic() - lap[1]) >= LONGEST_HOLD:
            self.long = lap[0], seconds
        try:
            return super().select(timeout)
        finally:
            self._laps += 1
            self.lap = self._laps, monotonic()
            if self._unwatched:
                self._unwatched = False
                self._woken.set()
