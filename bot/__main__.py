"""Starts the program, or the short way to one that runs."""

import gc

# Loading makes objects that all stay. Looking for garbage among them would double its time.
gc.disable()

import os
import signal
import sys
from importlib import import_module
from pathlib import Path

from bot.visits.error_line import print_error
from bot.visits.short_way import gone_the_short_way


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    arguments = sys.argv[1:]
    _meet_early_signals()
    try:
        standing = Path.cwd()
    except FileNotFoundError:
        print_error("steward: The folder you stand in is gone. Go to another one.")
        sys.exit(1)
    code = gone_the_short_way(arguments, os.environ, standing)
    if code is None:
        # A visit to a running program takes a fifth of the time without all this.
        code = import_module("bot.start").run_program(arguments)
    _part_with_streams()
    sys.exit(code)


def _meet_early_signals() -> None:
    """Lets no signal kill a start that the program, once it runs, passes over or ends well by."""
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(number, lambda *_: None)
    if signal.getsignal(signal.SIGHUP) is signal.SIG_DFL:
        signal.signal(signal.SIGHUP, lambda *_: sys.exit(0))


def _part_with_streams() -> None:
    """Writes what is left; a terminal that has closed takes it no more, and changes no code."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


if __name__ == "__main__":
    main()
