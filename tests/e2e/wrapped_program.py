"""The program with something of a test around its run."""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from bot.adapters.loop_watch.loop_watch import LoopWatch
from bot.bootstrap.program import serve, unserved
from bot.checkup.program import PROBES, examined
from bot.cli import CommandRun, Program, run
from bot.logs import Secrets
from bot.one_off.asking import ask
from bot.one_off.talking import chat
from bot.settings import Settings


def run_within(around: Callable[[CommandRun], CommandRun]) -> None:
    """Runs the program, whose serving is what `around` makes of it, and ends the process."""
    watch, secrets = LoopWatch(), Secrets()
    served = partial(serve, secrets=secrets, watch=watch)

    def wrapped(settings: Settings) -> CommandRun:
        return around(served(settings))

    program = Program(
        wrapped,
        partial(chat, secrets=secrets, watch=watch),
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
