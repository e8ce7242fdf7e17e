"""Runs the work of a command: its settings, its log, and its end by a signal."""

import asyncio
import logging
import os
import signal
import sys
from logging.handlers import RotatingFileHandler
from pathlib import Path
from threading import Timer
from typing import Self

from bot.cli.program import CommandRun, Program
from bot.domain.talk.errors import SettingError
from bot.domain.talk.unusable_folder import unusable
from bot.domain.text.visible_text import shown_name
from bot.logs import start_logging
from bot.settings import Settings, read_settings
from bot.settings.whereabouts import KnownFolders, Whereabouts, whereabouts
from bot.setup import settings_count
from bot.shipped import checkout
from bot.visits.error_line import print_error

_UNREAD = (
    "I did not use the settings in {folder}, because you have not allowed it. Run `steward chat` "
    "there once and say yes, or set STEWARD_HOME."
)

_WARNED = set[Path]()
"""Folders whose settings were named as unread in this run."""

_log = logging.getLogger(__name__)

_WAYS_OUT = {signal.SIGTERM: 0, signal.SIGHUP: 0, signal.SIGINT: 128 + signal.SIGINT}
"""Signals that end a run, with its exit code; a terminal that closes sends SIGHUP."""

LONGEST_END_SECONDS = 4.5
"""After so many seconds a process that was told to end does so, whatever still goes on in it."""

_WITHOUT_MEANING = (signal.SIGUSR1, signal.SIGUSR2)
"""Signals that would kill a program that does not know them."""


def place_of(program: Program, *, serves: bool = False) -> Whereabouts:
    """Returns the place of a run; a person is asked once about settings in a folder of theirs.

    `serves` is True for a run that may serve channels where nobody can be asked.
    """
    serves = serves and not has_terminal()
    known, standing = KnownFolders(), program.folder
    place = whereabouts(program.environ, standing, known, checkout=checkout(), serves=serves)
    if not place.doubtful:
        return place
    if not has_terminal():
        if standing not in _WARNED:
            told = _UNREAD.format(folder=shown_name(str(standing)))
            print_error(f"warning: {told}")
        _WARNED.add(standing)
        return place
    yes = whereabouts(program.environ, standing, known, checkout=checkout(), answer=True)
    answer = settings_count(standing, yes.home)
    try:
        known.remember("settings", standing, answer)
    except SettingError as fault:
        # The answer holds for this run all the same.
        print_error(f"warning: {fault}")
    return whereabouts(program.environ, standing, known, checkout=checkout(), answer=answer)


def has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def settings_of(program: Program, *, look: bool = True, serves: bool = False) -> Settings:
    place = place_of(program, serves=serves)
    settings = read_settings(program.environ, place.folder, home=place.home, look=look)
    program.secrets.add(*(secret.get_secret_value() for secret in settings.secrets))
    return settings


def log_to(program: Program, settings: Settings, handler: logging.Handler) -> None:
    start_logging(handler, program.secrets, style=settings.log.format, level=settings.log.level)


def warn(settings: Settings) -> None:
    for warning in settings.warnings:
        _log.warning("%s", warning)


def log_to_file(program: Program, settings: Settings) -> None:
    """Writes the log to a file, and says on the standard error what is odd about the settings."""
    for warning in settings.warnings:
        print_error(f"warning: {warning}")
    try:
        settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = RotatingFileHandler(
            settings.home / "chat.log", maxBytes=1_000_000, backupCount=1, encoding="utf-8"
        )
    except OSError as error:
        raise unusable("STEWARD_HOME", settings.home, error) from error
    log_to(program, settings, file)


def run_to_end(program: Program, work: CommandRun) -> int:
    with _LastResort() as last, asyncio.Runner(loop_factory=program.new_loop) as runner:
        return runner.run(_until_told(work, last))


def _wait_for_children_in(loop: asyncio.AbstractEventLoop) -> None:
    """Has the loop itself wait for child processes, as it does from Python 3.12 on.

    Before, a thread waited for each child, and on a busy machine its start held everybody up.
    """
    if sys.version_info < (3, 12) and hasattr(os, "pidfd_open"):
        watcher = asyncio.PidfdChildWatcher()
        watcher.attach_loop(loop)
        asyncio.set_child_watcher(watcher)


def _passed_over() -> None:
    """Does nothing; ignoring the signal itself would be inherited by each command that runs."""


class _LastResort:
    """Ends the process some time after it was told to, even if a thread or a server holds it up.

    Nothing is lost: all that it had accepted is stored, as for a process that is killed.
    """

    def __init__(self) -> None:
        self._timers: list[Timer] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for timer in self._timers:
            timer.cancel()
            timer.join()

    def begin(self, code: int) -> None:
        """Counts the time from now on."""
        timer = Timer(LONGEST_END_SECONDS, self._end, (code,))
        timer.daemon = True
        timer.start()
        self._timers.append(timer)

    @staticmethod
    def _end(code: int) -> None:
        _log.error("the process did not end within %g s, so it is ended now", LONGEST_END_SECONDS)
        os._exit(code)


async def _until_told(work: CommandRun, last: _LastResort) -> int:
    """Runs the work to its end, or until a signal asks for one; returns its exit code."""
    task = asyncio.ensure_future(work)
    told: list[int] = []

    def tell(code: int) -> None:
        if not told:
            last.begin(code)
        told.append(code)
        task.cancel()

    loop = asyncio.get_running_loop()
    _wait_for_children_in(loop)
    for number, code in _WAYS_OUT.items():
        # A shell's `nohup` has the program outlive its terminal.
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, tell, code)
    for number in _WITHOUT_MEANING:
        loop.add_signal_handler(number, _passed_over)
    try:
        return await task
    except asyncio.CancelledError:
        if not told:
            raise
        return told[0]
