"""Starts the program quickly: a process that has loaded it once forks a child for each start.

`python -m tests.e2e.fork_server <descriptor>` takes orders from that socket until it is closed. It
has neither threads nor an event loop, and runs nothing of the program itself. A child finds what a
process finds that was started anew: `fork_server_mirror.py` and its test compare the two.
"""

import gc
import json
import os
import runpy
import socket
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

_LARGEST_ORDER = 1 << 20
_LOADED = (
    "bot.bootstrap",
    "bot.cli",
    "bot.adapters.anthropic.connection",
    "bot.adapters.mcp.connection",
    "bot.adapters.telegram.webhook",
    "alembic.command",
    "alembic.config",
    "jsonschema",
    "referencing",
    "sqlalchemy.dialects.postgresql",
)
_LOADED_IF_INSTALLED = {"psycopg": "bot.adapters.sql.postgres"}


@dataclass(frozen=True, slots=True)
class _Order:
    """A start: the module as after `python -m`, its arguments and all that surrounds it."""

    module: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    folder: str
    output: int
    news: int
    """The socket that is told the process id, and the exit code when the process has ended."""


def _load() -> None:
    for name in _LOADED:
        import_module(name)
    for library, name in _LOADED_IF_INSTALLED.items():
        if find_spec(library) is not None:
            import_module(name)
    # Pages that no collection writes to are shared with the children and never copied.
    gc.collect()
    gc.freeze()


def _check(orders: socket.socket) -> None:
    """Makes sure that a fork copies all there is: one thread, and no file but our own."""
    threads = len(os.listdir("/proc/self/task"))  # noqa: PTH208 - as cheap as it gets
    assert threads == threading.active_count() == 1, "loading the program started a thread"
    opened = {int(file.name) for file in Path("/proc/self/fd").iterdir() if file.is_symlink()}
    assert opened <= {0, 1, 2, orders.fileno()}, f"loading the program left files open: {opened}"


def _next_to_become(orders: socket.socket) -> _Order | None:
    """Returns None when no more orders come; in each child, the order that it carries out."""
    while True:
        text, descriptors, _, _ = socket.recv_fds(orders, _LARGEST_ORDER, 2)
        _clear_away()
        if not text:
            return None
        words: Mapping[str, Any] = json.loads(text)
        order = _Order(**words, output=descriptors[0], news=descriptors[1])
        if os.fork() == 0:
            orders.detach()
            _mind(order)
            return order
        for descriptor in descriptors:
            os.close(descriptor)


def _clear_away() -> None:
    """Waits for the children that have ended, so that what they cost is counted as ours."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _mind(order: _Order) -> None:
    """Forks once more; returns in the child alone, and waits for its end in the other one."""
    child = os.fork()
    if child == 0:
        return
    news = socket.socket(fileno=order.news)
    news.sendall(b"%d\n" % child)
    _, status = os.waitpid(child, 0)
    news.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)


def _become(order: _Order) -> None:
    """Turns this child into a fresh process of the program, and runs it to its end."""
    os.setsid()
    os.chdir(order.folder)
    for stream in (1, 2):
        os.dup2(order.output, stream)
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    os.environ.clear()
    os.environ.update(order.environment)
    time.tzset()
    sys.argv[:] = [order.module, *order.arguments]
    # The parent's is the folder of the checkout, for the same reason: `python -m` puts it there.
    sys.path[0] = order.folder
    runpy.run_module(order.module, run_name="__main__", alter_sys=True)


def main() -> None:
    orders = socket.socket(fileno=int(sys.argv[1]))
    _load()
    _check(orders)
    order = _next_to_become(orders)
    if order is not None:
        _become(order)


if __name__ == "__main__":
    main()
