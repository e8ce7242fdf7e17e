"""The process that asks for one page, over a connection to an address that was judged before.

`asking` starts it. Servers of strangers decide what it reads: heads, frames of chunks, packed
bodies. So it bounds its time and memory before it looks at a byte, counts every byte that comes,
and leaves the processor to the program. An unforeseen fault ends it with code 1.
"""

import json
import os
import socket
import ssl
import sys
from typing import Any

import h11

from bot.adapters.certificates import certificates
from bot.adapters.process_bounds import bound
from bot.adapters.web_pages.unpacking import Body, NotUnpacked, TooLarge

_MEMORY = 1_000_000_000
_PIECE = 65_536
_LONGEST_HEAD = 100_000
"""Bytes of a head, and of what stands around the pieces of a body."""

_MOST_EARLY = 20
"""Answers before the answer, such as `103 Early Hints`."""

_KEPT = ("location", "content-type", "content-encoding", "content-length", "last-modified")


class _Broken(Exception):
    """The answer is none, or ends before its end."""


def main() -> None:
    """Reads what to ask for from its input, and writes a line of JSON with the body behind it."""
    asked = json.load(sys.stdin.buffer)
    os.nice(10)
    context = certificates() if asked["secure"] else None
    bound(_MEMORY, asked["cpu_seconds"])
    connection = socket.socket(fileno=asked["socket"])
    connection.settimeout(None)
    told, body = _answered(connection, context, asked)
    sys.stdout.buffer.write(f"{json.dumps(told)}\n".encode() + body)


def _answered(
    connection: socket.socket, context: ssl.SSLContext | None, asked: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    """Returns what is told of the page, or of a fault, and the unpacked body."""
    try:
        if context is not None:
            connection = context.wrap_socket(connection, server_hostname=asked["host"])
        return _Answer(connection, asked["most"]).read(asked["target"], asked["headers"])
    except TooLarge:
        return {"fault": "large"}, b""
    except NotUnpacked as fault:
        return {"fault": "packed", "why": str(fault)}, b""
    except ssl.SSLCertVerificationError:
        return {"fault": "certificate"}, b""
    except (OSError, h11.ProtocolError, _Broken):
        return {"fault": "broken"}, b""


class _Answer:
    """The answer to one request; every byte on the wire counts, those of frames too."""

    def __init__(self, connection: socket.socket, most: int) -> None:
        self._connection = connection
        self._http = h11.Connection(h11.CLIENT, max_incomplete_event_size=_LONGEST_HEAD)
        self._most = most
        self._room = most + most // 20 + _LONGEST_HEAD

    def read(self, target: str, headers: list[tuple[str, str]]) -> tuple[dict[str, Any], bytes]:
        """Sends the request, and returns its status with some headers, and the body of a page."""
        request = h11.Request(method="GET", target=target, headers=headers)
        sent = self._http.send(request) or b"", self._http.send(h11.EndOfMessage()) or b""
        self._connection.sendall(b"".join(sent))
        head = self._head()
        found = {name.decode(): value.decode("latin-1") for name, value in head.headers}
        told = {name: found.get(name, "") for name in _KEPT}
        body = self._body(told) if head.status_code == 200 else b""
        return {"status": head.status_code, "headers": told}, body

    def _head(self) -> h11.Response:
        for _ in range(_MOST_EARLY):
            match self._event():
                case h11.Response() as head:
                    return head
                case h11.InformationalResponse():
                    continue
                case _:
                    break
        raise _Broken

    def _body(self, told: dict[str, str]) -> bytes:
        length = told["content-length"]
        if length.isascii() and length.isdigit() and int(length[:20]) > self._most:
            raise TooLarge
        body, room = Body(told["content-encoding"], self._most), self._most
        while isinstance(event := self._event(), h11.Data):
            room -= len(event.data)
            if room < 0:
                raise TooLarge
            body.take(bytes(event.data))
        if not isinstance(event, h11.EndOfMessage):
            raise _Broken
        return body.whole

    def _event(self) -> Any:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            piece = self._connection.recv(_PIECE)
            self._room -= len(piece)
            if self._room < 0:
                raise TooLarge
            self._http.receive_data(piece)
        return event


if __name__ == "__main__":
    main()
