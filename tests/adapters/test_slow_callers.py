"""A port of the program: whoever reads or sends slowly keeps nobody else waiting."""

import asyncio
import socket
from contextlib import ExitStack, suppress

from bot.adapters.http_server.http_servers import HttpServers, Receive, Scope, Send
from tests.patience import PATIENCE

CALL = b"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
LARGE = b"x" * (16 * 1024 * 1024)
MOST = 4


class Answers:
    """Reads the whole body, and answers with much more than a line takes unread."""

    def __init__(self) -> None:
        self.sending = 0
        self.left = asyncio.Event()

    async def app(self, scope: Scope, receive: Receive, send: Send) -> None:
        while True:
            event = await receive()
            if not event.get("more_body", False):
                break
        self.sending += 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": LARGE, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        self.left.set()


async def test_callers_that_do_not_read_give_way_and_do_not_delay_the_end() -> None:
    answers, servers = Answers(), HttpServers()
    with ExitStack() as stack:
        async with servers.serving(answers.app, "/hello", 0, "A_PORT", MOST) as port:
            for number in range(MOST):
                caller = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
                caller.sendall(CALL)
                await until(lambda number=number: answers.sending > number)
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(CALL)
            async with asyncio.timeout(PATIENCE):
                head = await reader.readuntil(b"\r\n\r\n")
            assert head.split()[1] == b"200"
            await until(answers.left.is_set)
        # The server has ended, though this answer is not read either.
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def until(look: object) -> None:
    assert callable(look)
    async with asyncio.timeout(PATIENCE):
        while not look():
            await asyncio.sleep(0.01)
