"""Starts the program."""

import logging
import os
import sys
from functools import partial
from pathlib import Path

from bot.bootstrap.program import chat, examined, serve, unserved
from bot.cli import Program, run
from bot.logs import Secrets, start_logging

_log = logging.getLogger(__name__)


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    secrets = Secrets()
    start_logging(logging.StreamHandler(), secrets, style="text", level="WARNING")
    try:
        program = Program(
            partial(serve, hide=secrets.add),
            partial(chat, hide=secrets.add),
            examined,
            unserved,
            secrets,
            os.environ,
            Path.cwd(),
        )
        code = run(program, sys.argv[1:])
    except Exception:  # noqa: BLE001 - the last border: what nobody foresaw ends with a trace
        _log.exception("Steward failed")
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
