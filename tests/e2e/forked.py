"""Stands for a forked program where a test can only start a command of its own.

`python forked.py <door> <module> <argument>...` lends its streams, its terminal and its folder to a
child of the fork server, hands on the signals it gets, and ends as the child ends.
"""

import fcntl
import json
import os
import signal
import socket
import sys
import termios
from contextlib import suppress

_FAREWELLS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _let_go_of_the_terminal() -> None:
    """Gives the terminal away, so that it can be the child's; the kernel says SIGHUP to that."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    fcntl.ioctl(0, termios.TIOCNOTTY)


def _hand_on(pid: int) -> None:
    def told(number: int, _: object) -> None:
        with suppress(ProcessLookupError):
            os.kill(pid, number)

    for number in _FAREWELLS:
        signal.signal(number, told)


def main() -> None:
    door, module, *arguments = sys.argv[1:]
    order = {
        "module": module,
        "arguments": arguments,
        "environment": dict(os.environ),
        "folder": os.getcwd(),  # noqa: PTH109 - pathlib costs more than all the rest
    }
    with socket.socket(socket.AF_UNIX) as server:
        server.connect(door)
        if os.isatty(0):
            _let_go_of_the_terminal()
        socket.send_fds(server, [json.dumps(order).encode() + b"\n"], [0, 1, 2])
        with server.makefile() as news:
            _hand_on(int(news.readline()))
            code = int(news.readline())
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


if __name__ == "__main__":
    main()
