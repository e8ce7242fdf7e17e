"""A port of the program: whoever opens many connections keeps nobody waiting."""

import asyncio
import socket
from collections import Counter
from contextlib import ExitStack

from bot.adapters.http_server.http_servers import App, HttpServers, Receive, Scope, Send
from tests.patience import PATIENCE

CALL = b"GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
CALLERS = 200
MOST = 20


class Laps:
    """Counts the laps of the event loop, and the calls that an application gets in each."""

    def __init__(self) -> None:
        self._lap = 0
        self._calls = Counter[int]()
        self._all = asyncio.Event()
        self._next()

    @property
    def app(self) -> App:
        return self._answer

    @property
    def most(self) -> int:
        return max(self._calls.values())

    async def every_call(self) -> None:
        async with asyncio.timeout(PATIENCE):
            await self._all.wait()

    def _next(self) -> None:
        self._lap += 1
        if not self._all.is_set():
            asyncio.get_running_loop().call_soon(self._next)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._calls[self._lap] += 1
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})
        if self._calls.total() == CALLERS:
            self._all.set()


async def test_of_many_connections_at_once_each_lap_of_the_loop_takes_a_few() -> None:
    laps = Laps()
    with ExitStack() as stack:
        async with HttpServers().serving(laps.app, "/hello", 0, "A_PORT") as port:
            # The server accepts once the loop goes on; all of them wait in the kernel by then.
            await served(port)
            for _ in range(CALLERS - 1):
                caller = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                caller.sendall(CALL)
            await laps.every_call()
    assert laps.most <= MOST


async def served(port: int) -> None:
    """Waits until the server has answered once."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(CALL)
    async with asyncio.timeout(PATIENCE):
        assert b" 204 " in await reader.readline()
    writer.close()
