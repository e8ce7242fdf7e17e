"""Which processes are still at work.

One that has ended stays in the table until its parent asks for it; where the parent is the first
process of a container, that can take seconds. So a number in the table proves nothing.
"""

import asyncio
import contextlib
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator, Iterable

import psutil

from tests.patience import PATIENCE


def runs(process: psutil.Process | int) -> bool:
    """Whether a process has not ended yet."""
    with contextlib.suppress(psutil.NoSuchProcess):
        known = psutil.Process(process) if isinstance(process, int) else process
        return known.is_running() and known.status() != psutil.STATUS_ZOMBIE
    return False


def outlived(processes: Iterable[psutil.Process], seconds: float = 10) -> list[psutil.Process]:
    """Which of them have not ended after so long."""
    left, end = list(processes), time.monotonic() + seconds
    while (left := [process for process in left if runs(process)]) and time.monotonic() < end:
        time.sleep(0.01)
    return left


@contextlib.asynccontextmanager
async def ending_well(process: Process) -> AsyncIterator[None]:
    """Lets a program run meanwhile, which then has to end well when it is asked to."""
    try:
        yield
        process.terminate()
        async with asyncio.timeout(PATIENCE):
            assert await process.wait() == 0
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
