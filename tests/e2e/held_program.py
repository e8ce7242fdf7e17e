"""The program with two planted faults: on a signal its event loop computes, or waits."""

import asyncio
import signal
import time

from bot.cli import CommandRun
from tests.e2e.wrapped_program import run_within

SECONDS = 0.5


def compute() -> None:
    """Uses the processor for so long."""
    end = time.thread_time() + SECONDS
    while time.thread_time() < end:
        sum(range(1000))


def wait() -> None:
    """Calls what blocks, and uses no processor."""
    time.sleep(SECONDS)


async def _with_faults(work: CommandRun) -> int:
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGUSR1, compute)
    loop.add_signal_handler(signal.SIGUSR2, wait)
    return await work


if __name__ == "__main__":
    run_within(_with_faults)
