"""A proxy on the loopback that hands plain HTTP and WebSockets on, and counts what it was asked."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

_ABSOLUTE = re.compile(rb"^([A-Z]+) (?:http|ws)://([^/ ]+)(/[^ ]*) HTTP/1.1\r\n", re.MULTILINE)


@dataclass
class Forwarding:
    url: str = ""
    asked: list[str] = field(default_factory=list[str])
    """The paths of all requests."""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError):
            head = await reader.readuntil(b"\r\n\r\n")
            found = _ABSOLUTE.match(head)
            assert found is not None
            host, _, port = found[2].decode().partition(":")
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
            far_writer.write(self._plain(head))
            await asyncio.gather(
                self._piped(reader, far_writer, requests=True),
                self._piped(far_reader, writer, requests=False),
            )

    def _plain(self, chunk: bytes) -> bytes:
        """Returns requests as the server itself is asked."""
        self.asked += [found[3].decode() for found in _ABSOLUTE.finditer(chunk)]
        return _ABSOLUTE.sub(rb"\1 \3 HTTP/1.1\r\n", chunk)

    async def _piped(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, requests: bool
    ) -> None:
        with suppress(ConnectionError):
            while chunk := await reader.read(65_536):
                writer.write(self._plain(chunk) if requests else chunk)
                await writer.drain()
        writer.close()


@asynccontextmanager
async def forwarding() -> AsyncGenerator[Forwarding]:
    """Serves until the end of the block."""
    proxy = Forwarding()
    server = await asyncio.start_server(proxy.take, "127.0.0.1", 0)
    proxy.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield proxy
    finally:
        server.close()
