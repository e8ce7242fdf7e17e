"""Serves an ASGI app over real HTTP inside the running event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import uvicorn
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

_DROP_EXTENSION = "drop_connection"


@asynccontextmanager
async def serving(
    app: ASGIApp, port: int = 0, certificate: Path | None = None
) -> AsyncIterator[str]:
    """Serve the app on a port of 127.0.0.1, 0 for any that is free, with TLS by a certificate.

    Yields the base URL without a trailing slash. Leaving closes every connection and cancels the
    requests still held, without a grace period.
    """
    listener = _listener(port)
    server = _server(app, certificate)
    await server.startup(sockets=[listener])
    try:
        yield f"http{'s' if certificate else ''}://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        await _close(server)


def _listener(port: int) -> socket.socket:
    # Only a socket that names its protocol gets TCP_NODELAY; without it every answer waits 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(512)
    return listener


async def drop_connection(request: Request) -> None:
    """Reset the request's connection as a crashed peer would: nothing more is sent.

    The handler should return right after; whatever it answers then goes nowhere.
    """
    drop: Callable[[], None] = request.scope["extensions"][_DROP_EXTENSION]
    drop()
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _server(app: ASGIApp, certificate: Path | None) -> uvicorn.Server:
    async def droppable(scope: Scope, receive: Receive, send: Send) -> None:
        def drop() -> None:
            for connection in server.server_state.connections:
                if getattr(connection, "client", None) == scope["client"]:
                    connection.transport.abort()

        scope.setdefault("extensions", {})[_DROP_EXTENSION] = drop
        await app(scope, receive, send)

    config = uvicorn.Config(
        droppable,
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        # As the real services do; after the 5 s of this library a request could meet the end.
        timeout_keep_alive=75,
        ssl_certfile=certificate,
    )
    config.load()
    server = uvicorn.Server(config)
    server.lifespan = config.lifespan_class(config)
    return server


async def _close(server: uvicorn.Server) -> None:
    # Server.serve would poll every 0.1 s and handle signals; neither suits a short-lived test.
    for listening in server.servers:
        listening.close()
    for connection in list(server.server_state.connections):
        connection.transport.abort()
    tasks = list(server.server_state.tasks)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
