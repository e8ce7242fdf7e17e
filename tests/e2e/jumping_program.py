"""The program on a machine whose clock jumps ahead by an hour at each signal."""

import itertools
import signal
import sys
import time

from bot.__main__ import main
from bot.adapters.system_clock import SystemClock

_AHEAD = 3600.0


class _Jumps:
    """Counts signals; the clock is so many hours ahead."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._latest = 0

    def jump(self, *_signal: object) -> None:
        self._latest = next(self._numbers)

    def steady(self) -> float:
        return time.monotonic() + self._latest * _AHEAD


if __name__ == "__main__":
    jumps = _Jumps()
    SystemClock.steady = lambda self: jumps.steady()
    signal.signal(signal.SIGWINCH, jumps.jump)
    sys.exit(main())
