"""Notices when the event loop was held, and tells who held it."""

import asyncio
import logging
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from time import monotonic

from bot.adapters.loop_watch.effort import Effort, Lateness
from bot.adapters.loop_watch.lap import Glance, Lap, Stretch
from bot.adapters.loop_watch.watched_selector import WatchedSelector
from bot.domain.talk.hold import LONGEST_HOLD, Holds

_LOG = logging.getLogger(__name__)

TICK_SECONDS = 0.025
"""Seconds between two looks at the loop; a call that blocks is measured to a look or two."""

_RESTING_LOOKS = 8
"""Looks in a row at an idle loop, after which the watch sleeps until the loop works again.

Looking on would cost an idle program 0.8 % of a processor.
"""

_YOUNG_SECONDS = 0.002
"""The age of a lap below which nothing is suspected: most laps end sooner."""

_STILL_SECONDS = 5.0
"""Seconds after which the log names a hold that has not ended."""

_MOST_LINES = 10
"""Lines of the log a minute."""

_MINUTE = 60.0


class LoopWatch:
    """Makes an event loop and watches it from a thread of its own."""

    def __init__(self) -> None:
        self._selector: WatchedSelector | None = None
        self._ready = threading.Event()
        self._stop = threading.Event()
        self._holds = Holds()
        self._line = _Line()

    def new_loop(self) -> asyncio.AbstractEventLoop:
        """Returns the event loop that is watched; there is one for each watch."""
        self._selector = WatchedSelector()
        return asyncio.SelectorEventLoop(self._selector)

    def holds(self) -> Holds:
        """Returns the counts since the watch began."""
        return self._holds

    @contextmanager
    def watching(self) -> Generator[None]:
        """Watches the loop of the calling thread while the block runs."""
        if self._selector is None:
            raise RuntimeError("the running loop is none of this watch")
        watched = (self._selector, Effort(), threading.get_ident())
        thread = threading.Thread(target=self._watch, args=watched, name="loop watch", daemon=True)
        thread.start()
        self._ready.wait()
        try:
            yield
        finally:
            self._stop.set()
            self._selector.wake()
            thread.join()

    def _watch(self, selector: WatchedSelector, effort: Effort, thread: int) -> None:
        with Lateness() as late:
            self._look_on(selector, effort, late, thread)

    def _look_on(
        self, selector: WatchedSelector, effort: Effort, late: Lateness, thread: int
    ) -> None:
        lap: Lap | None = None
        ran, judged, resting = effort.ran(), selector.long[0], 0
        self._ready.set()
        while not self._stop.wait(TICK_SECONDS):
            # First of all: reading files lets the other thread go on.
            works = selector.lap is not None
            frame = sys._current_frames().get(thread) if works else None
            before, at, ran = ran, monotonic(), effort.ran()
            (number, seconds), now = selector.long, selector.lap
            if number != judged:
                judged = number
                if lap is None or lap.number != number:
                    # It began and ended between two looks.
                    lap = Lap(number, at - seconds, before, 2 * TICK_SECONDS)
                end = lap.since + seconds
                lap.look(Glance(end, ran, effort.of_all(), late.since()))
                self._judge(lap)
            resting = resting + 1 if now is None else 0
            if now is None:
                lap = None
            elif lap is None or lap.number != now[0]:
                lap = Lap(*now, before, 2 * TICK_SECONDS)
            if lap is None or at - lap.since < _YOUNG_SECONDS:
                late.since()
                if resting >= _RESTING_LOOKS and not self._stop.is_set():
                    selector.wait_for_work()
                    late.since()
                continue
            lap.see(frame)
            lap.look(Glance(at, ran, effort.of_all(), late.since()))
            self._tell_of_a_long_one(lap)

    def _tell_of_a_long_one(self, lap: Lap) -> None:
        held = lap.worst.held
        if held >= _STILL_SECONDS and not lap.told:
            lap.told = True
            words = lap.worst.by[1]
            _LOG.warning("the event loop is held for %.0f s and on by %s", held, words)

    def _judge(self, lap: Lap) -> None:
        worst = lap.worst
        if worst.held >= LONGEST_HOLD:
            place, words = worst.by
            self._holds = self._holds.more(worst.held, words)
            self._line.tell(place, words, worst)


class _Line:
    """Writes a line of the log for a hold: one a minute for each place, ten a minute in all."""

    def __init__(self) -> None:
        self._told: dict[str, float] = {}
        self._untold = 0

    def tell(self, place: str, words: str, stretch: Stretch) -> None:
        now = monotonic()
        self._told = {key: at for key, at in self._told.items() if now - at < _MINUTE}
        if place in self._told or len(self._told) >= _MOST_LINES:
            self._untold += 1
            return
        self._told[place] = now
        more = f" ({self._untold} more holds were not told)" if self._untold else ""
        self._untold = 0
        held, computed = stretch.held, min(stretch.computed, stretch.held)
        _LOG.warning(
            "the event loop was held for %.2f s (%.2f s of it computing) by %s%s",
            *(held, computed, words, more),
        )
