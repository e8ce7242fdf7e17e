"""The program with a clock of its own: it shows as many seconds more as a file says."""

import os
from datetime import datetime, timedelta
from pathlib import Path

from bot.__main__ import main
from bot.adapters.system_clock import SystemClock
from bot.flow.hooks import tries
from bot.flow.schedules import clockwork

CLOCK_FILE = "STEWARD_TEST_CLOCK_FILE"


class _Clock:
    """Adds what the file says to the machine's time; a missing file adds nothing."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._now = SystemClock.now

    def now(self, clock: SystemClock) -> datetime:
        ahead = float(self._file.read_text()) if self._file.exists() else 0.0
        return self._now(clock) + timedelta(seconds=ahead)


def start() -> None:
    # It starts with the time of the file, and sees soon when a test sets it.
    shown = _Clock(Path(os.environ[CLOCK_FILE]))

    def now(clock: SystemClock) -> datetime:
        return shown.now(clock)

    SystemClock.now = now  # pyright: ignore[reportAttributeAccessIssue]
    clockwork.LONGEST_NAP = tries.LONGEST_NAP = 0.1
    main()


if __name__ == "__main__":
    start()
