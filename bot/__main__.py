"""Starts the program."""

import gc

# Loading makes objects that all stay. Looking for garbage among them would double its time.
gc.disable()

import logging
import os
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from bot.bootstrap.program import chat, new_watch, serve, unserved
from bot.cli import HookWork, MemoryWork, Program, run
from bot.logs import Secrets, start_logging
from bot.setup import Probes

_log = logging.getLogger(__name__)

_MEMORY = ("search", "import_file", "reindex")


def _late(module: str, name: str) -> Callable[..., Any]:
    """Returns a function whose first call loads its module; a run that serves needs none."""

    def called(*given: Any, **named: Any) -> Any:
        return attrgetter(name)(import_module(module))(*given, **named)

    return called


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    secrets = Secrets()
    start_logging(logging.StreamHandler(), secrets, style="text", level="WARNING")
    try:
        watch = new_watch()
        program = Program(
            partial(serve, secrets=secrets, watch=watch),
            partial(chat, secrets=secrets, watch=watch),
            partial(_late("bot.one_off.asking", "ask"), secrets=secrets),
            _late("bot.checkup.program", "examined"),
            unserved,
            secrets,
            os.environ,
            Path.cwd(),
            Probes(*[_late("bot.checkup.program", f"PROBES.{one.name}") for one in fields(Probes)]),
            watch.new_loop,
            MemoryWork(*[_late("bot.one_off.memory_commands", name) for name in _MEMORY]),
            HookWork(*[_late("bot.one_off.hook_commands", name) for name in ("listed", "tried")]),
            _late("bot.one_off.feedback_export", "exported"),
        )
        code = run(program, sys.argv[1:])
    except Exception:  # the last border: what nobody foresaw ends with a trace
        _log.exception("Steward failed")
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
