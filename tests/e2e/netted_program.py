"""The program on a network of its own: names from a name server, public places on 127.0.0.1."""

import os
import socket
from typing import Any

from bot.__main__ import main
from tests.standins.names import ask

_NAMES = "NETTED_NAMES"
"""The port of the name server."""

_ROUTES = "NETTED_ROUTES"
"""Public places with the port of 127.0.0.1 that stands for each: `1.2.3.4:80=5000 …`."""

_system = socket.getaddrinfo
_connect = socket.socket.connect


def _looked_up(host: Any, port: Any, *args: Any, **more: Any) -> list[Any]:
    name = host.decode() if isinstance(host, bytes) else host
    if not isinstance(name, str) or not name.rstrip(".").endswith(".example"):
        return _system(host, port, *args, **more)
    found = ask(name, int(os.environ[_NAMES]))
    if not found:
        raise socket.gaierror(socket.EAI_NONAME, "no such name")
    kind = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "")
    return [(*kind, (address, int(port or 0))) for address in found]


def _connected(self: socket.socket, address: Any) -> None:
    routes = dict(one.split("=") for one in os.environ[_ROUTES].split())
    if isinstance(address, tuple) and not str(address[0]).startswith("127."):
        # Nothing here ever leaves the machine, whatever the program tries.
        place = routes.get(f"{address[0]}:{address[1]}")
        if place is None:
            raise ConnectionRefusedError(111, "no route in this network")
        address = ("127.0.0.1", int(place))
    return _connect(self, address)


if __name__ == "__main__":
    socket.getaddrinfo = _looked_up
    socket.socket.connect = _connected
    main()
