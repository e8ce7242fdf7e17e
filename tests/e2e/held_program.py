"""The program with two planted faults: on a signal its event loop computes, or waits."""

import asyncio
import os
import signal
import sys
import time
from functools import partial
from pathlib import Path

from bot.bootstrap.program import chat, new_watch, serve, unserved
from bot.checkup.program import PROBES, examined
from bot.cli import CommandRun, Program, run
from bot.logs import Secrets
from bot.one_off.asking import ask
from bot.settings import Settings

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


def main() -> None:
    watch, secrets = new_watch(), Secrets()
    served = partial(serve, secrets=secrets, watch=watch)

    def with_faults(settings: Settings) -> CommandRun:
        return _with_faults(served(settings))

    talked = partial(chat, secrets=secrets, watch=watch)
    program = Program(
        with_faults,
        talked,
        partial(ask, secrets=secrets),
        examined,
        unserved,
        secrets,
        os.environ,
        Path.cwd(),
        PROBES,
        watch.new_loop,
    )
    sys.exit(run(program, sys.argv[1:]))


if __name__ == "__main__":
    main()
