"""Starts the program quickly: a process that has loaded it once forks a child for each start.

`python -m tests.e2e.fork_server <descriptor> <door> <module>...` loads these modules, or else the
program. It takes orders at that door, a socket in the file system, until the descriptor is closed.
It has neither threads nor an event loop. A child finds what a process finds that was started anew:
`fork_server_mirror.py` and its test compare the two. Who ordered a child holds its life: when that
connection is closed, the child is killed.

A rehearsal is run by the server itself, to its end: each child begins with what the program made at
its first turn and keeps for good, as the words of its statements for the database.
"""

import asyncio
import atexit
import fcntl
import gc
import json
import logging
import os
import runpy
import select
import signal
import socket
import sys
import termios
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

from bot.adapters.certificates import certificates
from bot.ports.arguments_tool import Arguments, schema_of
from tests.patience import PATIENCE

READY = b"ready"
"""The word to whoever gives orders that the program is loaded."""

_LARGEST_ORDER = 1 << 20
_LOADED = (
    "bot.__main__",
    "bot.start",
    "bot.bootstrap.program",
    "bot.adapters.anthropic.connection",
    "bot.adapters.discord.account",
    "bot.adapters.discord.channel",
    "bot.adapters.discord.files",
    "bot.adapters.discord.groups",
    "bot.adapters.discord.listener",
    "bot.adapters.http_server.http_servers",
    "bot.adapters.mcp.connection",
    "bot.adapters.openai.connection",
    "bot.adapters.openai.speaking",
    "bot.adapters.telegram.webhook",
    "bot.adapters.tools.web",
    "bot.adapters.web_pages.web_pages",
    "bot.adapters.web_search.brave",
    "bot.adapters.web_search.searxng",
    "bot.adapters.web_search.tavily",
    "bot.bootstrap.page_opening",
    "bot.bootstrap.terminal",
    "bot.checkup.program",
    "bot.one_off.asking",
    "bot.one_off.feedback_export",
    "bot.one_off.hook_commands",
    "bot.one_off.memory_commands",
    "bot.one_off.page_login",
    "bot.one_off.talking",
    "bot.bootstrap.home",
    "bot.adapters.terminal.prompt",
    "bot.adapters.terminal.rendering",
    "alembic.command",
    "alembic.config",
    "anyio._backends._asyncio",
    "apscheduler.triggers.cron",
    "dateparser",
    "encodings.ascii",
    "h11",
    "httpcore",
    "httpcore2",
    "jsonschema",
    "referencing",
    "sqlalchemy.dialects.postgresql",
)
_LOADED_IF_INSTALLED = {"psycopg": "bot.adapters.sql.postgres"}

INTERPRETER = "INTERPRETER_OF_CHILDREN"
"""Names to a child what it takes for its own interpreter when it starts one."""


@dataclass(frozen=True, slots=True)
class _Order:
    """A start: the module as after `python -m`, its arguments and all that surrounds it."""

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    streams: Sequence[int]
    """Standard input, output and error; a terminal becomes the child's own."""
    rehearsal: bool = False


@dataclass(frozen=True, slots=True)
class _Minded:
    """A child, until it has ended."""

    pid: int
    end: int
    """Its process descriptor, which can be read when it has ended."""
    news: socket.socket
    """It is told the process id, and the exit code when the child has ended."""


def _load_program() -> None:
    for name in _LOADED:
        import_module(name)
    for library, name in _LOADED_IF_INSTALLED.items():
        if find_spec(library) is not None:
            import_module(name)
    # Made once as well: a child would make what this one has made.
    certificates()
    for arguments in _below(Arguments):
        schema_of(arguments)
    # It is run in each child, where `python -m` would not find it imported.
    del sys.modules["bot.__main__"]


def _below(arguments: type[Arguments]) -> Iterator[type[Arguments]]:
    """Yields all classes that inherit from this one."""
    for one in arguments.__subclasses__():
        yield one
        yield from _below(one)


def _settle_down(mine: set[int]) -> None:
    """Makes sure that a fork copies all there is: one thread, and no file but our own."""
    # Pages that no collection writes to are shared with the children and never copied.
    gc.collect()
    gc.freeze()
    # A thread that has been joined may stay in the table for another moment.
    until = time.monotonic() + PATIENCE
    while (threads := _threads()) > 1 and time.monotonic() < until:
        time.sleep(0.001)
    assert threads == threading.active_count() == 1, "loading the program started a thread"
    opened = {int(file.name) for file in Path("/proc/self/fd").iterdir() if file.is_symlink()}
    assert opened <= {0, 1, 2} | mine, f"loading the program left files open: {opened}"


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208 - as cheap as it gets


def _next_to_become(life: socket.socket, door: socket.socket) -> _Order | None:
    """Returns None when no more orders come; in each child, the order that it carries out."""
    minded: list[_Minded] = []
    while True:
        ends = [one.end for one in minded]
        heard, _, _ = select.select([life, door, *ends, *(one.news for one in minded)], [], [])
        minded = [one for one in minded if not _has_ended(one, heard)]
        if life in heard:
            for one in minded:
                os.kill(one.pid, signal.SIGKILL)
            return None
        if door not in heard:
            continue
        news, _ = door.accept()
        order = _read(news)
        if order is None:
            news.close()
            continue
        if order.rehearsal:
            news.sendall(b"%d\n" % os.getpid())
            code = _rehearse(order)
            _settle_down({life.fileno(), door.fileno(), news.fileno()})
            news.sendall(b"%d\n" % code)
            news.close()
            continue
        child = os.fork()
        if child == 0:
            return order
        minded.append(_Minded(child, os.pidfd_open(child), news))
        for stream in order.streams:
            os.close(stream)
        with suppress(OSError):
            news.sendall(b"%d\n" % child)


def _has_ended(one: _Minded, heard: Sequence[object]) -> bool:
    """Tells whoever ordered a child of its end; kills it when nobody holds its life any more."""
    if one.end not in heard:
        if one.news not in heard:
            return False
        # Nobody sends anything here, so the connection is closed.
        os.kill(one.pid, signal.SIGKILL)
    # Waited for here, so that what it cost is counted as ours.
    _, status = os.waitpid(one.pid, 0)
    with suppress(OSError):
        one.news.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    one.news.close()
    os.close(one.end)
    return True


def _read(news: socket.socket) -> _Order | None:
    """Returns the order that comes on a connection; None when it is broken off."""
    text, descriptors, _, _ = socket.recv_fds(news, _LARGEST_ORDER, 3)
    while text and not text.endswith(b"\n"):
        more = news.recv(_LARGEST_ORDER)
        text = text + more if more else b""
    if not text:
        return None
    words: Mapping[str, Any] = json.loads(text)
    return _Order(**words, streams=descriptors)


def _rehearse(order: _Order) -> int:
    """Runs the program in this process; returns its exit code, and leaves nothing around us."""
    surroundings, folder = dict(os.environ), os.getcwd()  # noqa: PTH109 - as in the child
    streams = [os.dup(stream) for stream in range(3)]
    _surround(order)
    code = sys.modules["bot.start"].run_program(order.arguments)
    logging.getLogger().handlers.clear()
    logging.getLogger().setLevel(logging.WARNING)
    if sys.version_info < (3, 12):
        # It watches the children of a loop that has ended.
        asyncio.set_event_loop_policy(None)
    _surround(replace(order, environment=surroundings, folder=folder, streams=streams))
    for stream in (*order.streams, *streams):
        os.close(stream)
    return code


def _surround(order: _Order) -> None:
    os.chdir(order.folder)
    for stream, given in enumerate(order.streams):
        os.dup2(given, stream)
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()


def _become(order: _Order) -> None:
    """Turns this child into a fresh process of the program, and runs it to its end."""
    os.setsid()
    _surround(order)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    sys.executable = order.environment.get(INTERPRETER, sys.executable)
    sys.argv[:] = [order.module, *order.arguments]
    # The parent's is the folder of the checkout, for the same reason: `python -m` puts it there.
    sys.path[0] = order.folder
    try:
        runpy.run_module(order.module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _leave(end.code or 0)
    _leave(0)


def _leave(code: int) -> NoReturn:
    """Ends the child as an interpreter ends, but leaves the objects of the server as they are.

    To free them, a child would first have to copy them all, which is a third of what it costs.
    """
    threading._shutdown()  # pyright: ignore[reportAttributeAccessIssue]
    atexit._run_exitfuncs()
    _flush()
    # What the child has made itself and lost may have a last word, such as a task never awaited.
    gc.collect()
    _flush()
    os._exit(code)


def _flush() -> None:
    sys.stdout.flush()
    sys.stderr.flush()


def main() -> None:
    life, door = socket.socket(fileno=int(sys.argv[1])), socket.socket(socket.AF_UNIX)
    door.bind(sys.argv[2])
    door.listen()
    if modules := sys.argv[3:]:
        for name in modules:
            import_module(name)
    else:
        _load_program()
    _settle_down({life.fileno(), door.fileno()})
    life.send(READY)
    order = _next_to_become(life, door)
    if order is not None:
        _become(order)


if __name__ == "__main__":
    main()
