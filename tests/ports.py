"""Ports for servers that are started with a number, or come back on the one they had.

A process takes a hundred ports for itself by binding the first of them for as long as it lives. So
no two processes that run tests, of one run or of several, hand out the same port, and none hands
out one twice before all the others.
"""

import atexit
import random
import socket
from collections.abc import Iterator
from functools import cache
from itertools import cycle

_BELOW_THE_SYSTEMS_OWN = range(12_000, 32_000)
"""Linux hands out ports from 32768 on; tests that run at the same time take many of those."""

_OF_ONE_PROCESS = 100


def free_port() -> int:
    """Returns a port that nobody listens on, and that nobody else is given."""
    ours = _ours()
    for _ in range(_OF_ONE_PROCESS):
        port = next(ours)
        with socket.socket() as probe:
            if _is_bound(probe, port):
                return port
    raise AssertionError("a hundred ports in a row are taken")


@cache
def _ours() -> Iterator[int]:
    """The ports of this process, one after the other and then from the beginning."""
    firsts = _BELOW_THE_SYSTEMS_OWN[::_OF_ONE_PROCESS]
    claim = socket.socket()
    atexit.register(claim.close)
    for first in random.sample(firsts, len(firsts)):
        if _is_bound(claim, first):
            return cycle(range(first + 1, first + _OF_ONE_PROCESS))
    raise AssertionError("other processes have taken all ports")


def _is_bound(probe: socket.socket, port: int) -> bool:
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
