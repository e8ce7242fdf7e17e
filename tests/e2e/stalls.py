"""Moments in which the machine itself stood still: then no process is to blame for a late loop.

A virtual machine is paused now and then, and two cores may have ten things to do. A thread of the
tests only sleeps, for a few milliseconds at a time, and notes when it woke much too late. It is in
another process than the program, so no fault of the program makes it late.

On a busy machine only the time in which the program really computed is judged, and half as much
more is allowed, because two threads share a core then. A call that blocks takes as long as the
machine lets it, so it is judged where nobody had to wait for a processor.
"""

import re
import threading
import time
from collections import deque
from datetime import UTC, datetime

from bot.domain.talk.hold import LONGEST_HOLD
from tests.e2e.pressure import Pressure

_NAP = 0.01
_LATE = 0.04
"""Seconds of delay from which on a moment is noted."""

_SHARED = 1.5
"""How much more processor time the same work takes where others use the core's other half."""

_HELD = re.compile(r"^(\S+ \S+)Z .* held for ([\d.]+) s \(([\d.]+) s of it computing\)")
_KEPT = 10_000
_STARTING = "Popen._execute_child"
_LONG_START = 0.5
"""Seconds from which on not even a busy machine explains the start of a child."""


class Stalls:
    """Watches the machine from its making to `stop`."""

    def __init__(self, pressure: Pressure | None = None) -> None:
        self._pressure = pressure or Pressure()
        self._seen: deque[tuple[float, float]] = deque(maxlen=_KEPT)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="stalls", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join()

    def excuse(self, line: str) -> bool:
        """Returns True for a line of the log about a hold which the machine explains.

        The line has whole seconds. The stalls around it must make up half of the hold. The start of
        a child returns only when the kernel has run the child, so a busy machine makes it late.
        """
        found = _HELD.match(line)
        if found is None:
            return False
        at = datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp()
        held, computed = float(found[2]), float(found[3])
        if _STARTING in line and held < _LONG_START:
            return True
        if computed < _SHARED * LONGEST_HOLD and self._pressure.busy(at - held - 1, at + 2):
            return True
        near = [late for end, late in self._seen if at - held - 1 <= end <= at + 2]
        return sum(near) >= held / 2

    def note(self, end: float, late: float) -> None:
        """Notes a stall that ended at this moment of the wall clock and took so many seconds."""
        self._seen.append((end, late))

    def _watch(self) -> None:
        before = time.monotonic()
        while not self._stopped.wait(_NAP):
            now = time.monotonic()
            self._pressure.look(time.time())
            if (late := now - before - _NAP) >= _LATE:
                self.note(time.time(), late)
            before = now
