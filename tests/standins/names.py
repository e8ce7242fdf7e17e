"""A name server on 127.0.0.1 whose answers change, and the one question that clients ask it."""

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import cast

_HEAD = struct.Struct("!6H")
_RECORD = struct.Struct("!HHHIH")
_ADDRESS, _INTERNET, _POINTER, _NO_SUCH_NAME = 1, 1, 0xC00C, 0x8183


class Names(asyncio.DatagramProtocol):
    """Answers each question for a name with its next list of IPv4 addresses, the last one on."""

    def __init__(self, **answers: Sequence[Sequence[str]]) -> None:
        self.answers = {name.replace("_", "."): list(each) for name, each in answers.items()}
        self.asked: list[str] = []
        self._transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # The loop's own transport of datagrams is no DatagramTransport by its classes.
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        assert self._transport is not None
        name, end = _read_name(data)
        self.asked.append(name)
        left = self.answers.get(name)
        found = (left.pop(0) if len(left) > 1 else left[0]) if left else ()
        flags = 0x8180 if found else _NO_SUCH_NAME
        head = _HEAD.pack(int.from_bytes(data[:2], "big"), flags, 1, len(found), 0, 0)
        records = (
            _RECORD.pack(_POINTER, _ADDRESS, _INTERNET, 0, 4) + socket.inet_aton(address)
            for address in found
        )
        self._transport.sendto(head + data[12 : end + 4] + b"".join(records), addr)


@asynccontextmanager
async def naming(names: Names) -> AsyncIterator[int]:
    """Serves the names by UDP; yields the port."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(lambda: names, ("127.0.0.1", 0))
    try:
        yield transport.get_extra_info("sockname")[1]
    finally:
        transport.close()


def ask(name: str, port: int) -> list[str]:
    """Asks the name server once, as a resolver without a cache does."""
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.rstrip(".").split("."))
    question = labels + b"\0" + struct.pack("!HH", _ADDRESS, _INTERNET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(5)
        asking.sendto(_HEAD.pack(7, 0x0100, 1, 0, 0, 0) + question, ("127.0.0.1", port))
        answer = asking.recv(4096)
    count = _HEAD.unpack_from(answer)[3]
    start = 12 + len(question)
    size = _RECORD.size + 4
    records = (answer[start + n * size : start + (n + 1) * size] for n in range(count))
    return [socket.inet_ntoa(record[-4:]) for record in records]


def _read_name(data: bytes) -> tuple[str, int]:
    parts: list[str] = []
    at = 12
    while data[at]:
        parts.append(data[at + 1 : at + 1 + data[at]].decode())
        at += 1 + data[at]
    return ".".join(parts), at + 1
