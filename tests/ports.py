"""Ports for servers that are started with a number, or come back on the one they had."""

import random
import socket

_BELOW_THE_SYSTEMS_OWN = range(12_000, 32_000)
"""Linux hands out ports from 32768 on; tests that run at the same time take many of those."""


def free_port() -> int:
    """Returns a port that nobody listens on, and that the system gives to nobody by itself."""
    for port in random.sample(_BELOW_THE_SYSTEMS_OWN, 100):
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("a hundred ports in a row are taken")
