"""The short way of `steward ask` and `steward chat`: to a running program, without loading it."""

import asyncio
import signal
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from bot.domain.talk.errors import ProgramGone, StewardError
from bot.domain.value import frozen
from bot.shipped import checkout
from bot.visits.error_line import print_error
from bot.visits.exit_codes import code_of_fault
from bot.visits.own_folder import is_own_folder, persons_home

_MOST_PIPED = 20 * 1024 * 1024
_LEFT = (signal.SIGTERM, signal.SIGHUP)
_FILES = (".env", "steward.toml", "data/steward.db")
"""Files of which one may make a folder the place of a home."""

_TOO_MUCH = "More than 20 MB came through the pipe. Cut it first, with tail."
_ENDED = "Steward has just ended. Try again."


@frozen
class _Asked:
    """The command line of a question that is simple enough for the short way."""

    words: str
    as_json: bool


def gone_the_short_way(
    arguments: Sequence[str], environ: Mapping[str, str], folder: Path
) -> int | None:
    """Visits a running program and returns the exit code; None where the long way is needed.

    The long way knows every option and every fault. It is also for a home without a program, and
    for one that only the settings as a whole can name.
    """
    if not arguments or arguments[0] not in ("ask", "chat"):
        return None
    try:
        home = _home(environ, folder)
        if home is None or not is_own_folder(folder) or not _is_open(home):
            return None
    except OSError:  # Nobody may look into a folder: the long way tells of it.
        return None
    name, *rest = arguments
    beside = rest[1] if len(rest) == 2 and rest[0] == "--with" else ""
    if name == "chat" and (not rest or beside) and sys.stdin.isatty() and sys.stdout.isatty():
        return _ended_well(lambda: _talk(home, folder, beside))
    if name == "ask" and (asked := _read(rest)) is not None:
        return _ended_well(lambda: _ask(home, folder, asked))
    return None


def _home(environ: Mapping[str, str], folder: Path) -> Path | None:
    """Returns the home where it is sure without a look into files, as `whereabouts` finds it."""
    named = environ.get("STEWARD_HOME", "").strip()
    if named:
        return folder / Path(named).expanduser()
    ours = checkout()
    if folder != ours and _has_files(folder):
        return None
    if ours is not None and _has_files(ours):
        return ours / "data"
    return persons_home()


def _has_files(folder: Path) -> bool:
    return any((folder / name).exists() for name in _FILES)


def _is_open(home: Path) -> bool:
    """Returns True when somebody listens at the door; the long way says what is unsafe about it."""
    if not (home / "door").exists():
        return False
    from bot.adapters.home_door.place import Unsafe, connected

    try:
        connection = connected(home, 5.0)
    except (Unsafe, OSError):
        return False
    if connection is not None:
        connection.close()
    return connection is not None


def _read(words: Sequence[str]) -> _Asked | None:
    """Reads the words of a question; None for options that the long way knows."""
    options = [word for word in words if word.startswith("-")]
    if any(option != "--json" for option in options):
        return None
    said = " ".join(word for word in words if word not in options).strip()
    if not said and (sys.stdin is None or sys.stdin.isatty()):
        return None
    return _Asked(said, bool(options))


def _ended_well(work: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Runs the work to its end, and says a foreseen fault in one sentence."""
    try:
        return asyncio.run(work())
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except StewardError as fault:
        print_error(f"steward: {fault}")
        return code_of_fault(fault)


async def _ask(home: Path, folder: Path, asked: _Asked) -> int:
    from bot.adapters.terminal.question import Wish
    from bot.visits.visiting import asked as ask
    from bot.visits.visiting import standing_in

    piped = _piped()
    if len(piped) > _MOST_PIPED:
        print_error(f"steward: {_TOO_MUCH}")
        return 2
    words = asked.words
    if not words:
        words, piped = piped.decode(errors="replace").strip(), b""
    if not words:
        print_error('What is the question? As in: steward ask "what is in this folder?"')
        return 2
    code = await ask(home, Wish(words, piped), standing_in(folder), as_json=asked.as_json)
    if code is None:
        raise ProgramGone(_ENDED)
    return code


def _piped() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    return sys.stdin.buffer.read(_MOST_PIPED + 1)


async def _talk(home: Path, folder: Path, beside: str) -> int:
    """Chats until the person leaves, or until a signal ends it as it ends the long way."""
    from bot.visits.visiting import standing_in, talked

    task = asyncio.ensure_future(talked(home, standing_in(folder), beside))
    told: list[int] = []

    def tell(code: int) -> None:
        told.append(code)
        task.cancel()

    loop = asyncio.get_running_loop()
    for number in _LEFT:
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, tell, 0)
    loop.add_signal_handler(signal.SIGINT, tell, 128 + signal.SIGINT)
    try:
        code = await task
    except asyncio.CancelledError:
        if not told:
            raise
        return told[0]
    if code is None:
        raise ProgramGone(_ENDED)
    return code
