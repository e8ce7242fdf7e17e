"""The program with a clock of its own and public sites that stand on 127.0.0.1."""

import os
import socket
from typing import Any

from bot.adapters.certificates import certificates
from tests.e2e.clocked_program import start

SITES = "STEWARD_TEST_SITES"
"""Names of public sites with the port of 127.0.0.1 that stands for each: `www.a.org=5000 …`."""

_NETWORK = "93.184.216."
_system = socket.getaddrinfo
_connect = socket.socket.connect


def _sites() -> dict[str, tuple[str, int]]:
    """Returns a public address and the port that stands for it, by the name of the site."""
    pairs = (one.split("=") for one in os.environ[SITES].split())
    return {name: (f"{_NETWORK}{n}", int(port)) for n, (name, port) in enumerate(pairs, 1)}


def _looked_up(host: Any, port: Any, *args: Any, **more: Any) -> list[Any]:
    name = host.decode() if isinstance(host, bytes) else host
    found = _sites().get(str(name))
    if found is None:
        return _system(host, port, *args, **more)
    kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    return [(*kind, (found[0], int(port or 0)))]


def _connected(self: socket.socket, address: Any) -> None:
    places = dict(_sites().values())
    if isinstance(address, tuple) and not str(address[0]).startswith("127."):
        # Nothing here ever leaves the machine, whatever the program tries.
        if address[0] not in places or address[1] != 443:
            raise ConnectionRefusedError(111, "no route in this network")
        address = ("127.0.0.1", places[address[0]])
    return _connect(self, address)


if __name__ == "__main__":
    socket.getaddrinfo = _looked_up
    socket.socket.connect = _connected
    # The server of forks has read whom the machine trusts, and this program trusts others.
    certificates.cache_clear()
    start()
