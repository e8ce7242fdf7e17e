"""The effort of threads: how long they ran, and how long they stood in line for a processor."""

import os
import threading
import time
from pathlib import Path
from typing import Self

from bot.domain.value import frozen

_TASKS = Path("/proc/self/task")
_LONGEST_LINE = 100
_MANY_STARTS = 5
"""Times that a thread gets a processor in vain while another one keeps the interpreter.

It tries every five milliseconds. Where nobody keeps it, three are enough.
"""


@frozen
class _Account:
    """The seconds that a thread ran and stood in line, and how often it got a processor."""

    ran: float
    queued: float
    starts: int


class Lateness:
    """Tells how long its thread stood in line; use as a context manager."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._before = _Account(0.0, 0.0, 0)

    def __enter__(self) -> Self:
        self._file = _opened(str(threading.get_native_id()))
        self.since()
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def since(self) -> float:
        """Returns the seconds since the last call in which the thread waited for a processor alone.

        Returns 0 when it often had one meanwhile: then it waited for the interpreter.
        """
        before, now = self._before, _read(self._file)
        if now is None or now.starts - before.starts >= _MANY_STARTS:
            self._before = now or before
            return 0.0
        self._before = now
        return now.queued - before.queued


class Effort:
    """Reads the kernel's account of this process; made in the thread that is watched."""

    def __init__(self) -> None:
        self._clock = _clock_of(threading.get_ident())

    def ran(self) -> float:
        """Returns the seconds that the watched thread ran on a processor."""
        return time.clock_gettime(self._clock)

    def of_all(self) -> float | None:
        """Returns the seconds that all threads of the process ran or stood in line, added up.

        Returns None where the kernel does not tell it.
        """
        try:
            threads = os.listdir(_TASKS)  # noqa: PTH208 - as cheap as it gets
        except OSError:
            return None
        accounts = [account for thread in threads if (account := _account(thread)) is not None]
        return sum(one.ran + one.queued for one in accounts) if accounts else None


def _clock_of(thread: int) -> int:
    """Returns the clock of a thread's processor time, or that of the process where it has none."""
    if hasattr(time, "pthread_getcpuclockid"):
        return time.pthread_getcpuclockid(thread)
    return time.CLOCK_PROCESS_CPUTIME_ID


def _account(thread: str) -> _Account | None:
    """Returns the account of a thread; None when nothing is known of it."""
    file = _opened(thread)
    try:
        return _read(file)
    finally:
        if file is not None:
            os.close(file)


def _opened(thread: str) -> int | None:
    try:
        return os.open(f"{_TASKS}/{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _read(file: int | None) -> _Account | None:
    if file is None:
        return None
    try:
        ran, queued, starts = os.pread(file, _LONGEST_LINE, 0).split()
    except (OSError, ValueError):
        return None
    return _Account(int(ran) / 1e9, int(queued) / 1e9, int(starts))
