"""Starts the program."""

import gc

# Loading makes objects that all stay. Looking for garbage among them would double its time.
gc.disable()

import logging
import os
import sys
from functools import partial
from pathlib import Path

from bot.bootstrap.program import chat, new_watch, serve, unserved
from bot.checkup.program import PROBES, examined
from bot.cli import HookWork, MemoryWork, Program, run
from bot.logs import Secrets, start_logging
from bot.one_off import asking, feedback_export, hook_commands
from bot.one_off.memory_commands import import_file, reindex, search

_log = logging.getLogger(__name__)


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    secrets = Secrets()
    start_logging(logging.StreamHandler(), secrets, style="text", level="WARNING")
    try:
        watch = new_watch()
        program = Program(
            partial(serve, secrets=secrets, watch=watch),
            partial(chat, secrets=secrets, watch=watch),
            partial(asking.ask, secrets=secrets),
            examined,
            unserved,
            secrets,
            os.environ,
            Path.cwd(),
            PROBES,
            watch.new_loop,
            MemoryWork(search, import_file, reindex),
            HookWork(hook_commands.listed, hook_commands.tried),
            feedback_export.exported,
        )
        code = run(program, sys.argv[1:])
    except Exception:  # the last border: what nobody foresaw ends with a trace
        _log.exception("Steward failed")
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
