"""Serves ASGI applications on 127.0.0.1, several on one port when each has paths of its own."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias, cast

import uvicorn

from bot.adapters.http_server.bounded_protocol import AT_ONCE, BoundedProtocol
from bot.domain.talk.errors import SettingError

Scope: TypeAlias = Mapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

_END_SECONDS = 2

_ACCEPTED = 16
"""Connections that a lap of the event loop accepts: whoever opens a thousand holds nobody up."""

_WAITING = 1_024
"""Connections that wait in the kernel meanwhile."""


class _Server(uvicorn.Server):
    """The server without handlers of signals: the process has its own."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Starts to accept; the event loop takes one number for both bounds, so one is set anew."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(_WAITING)


@dataclass(slots=True)
class _Port:
    """A server that runs, with its applications by the beginning of their paths."""

    number: int
    server: _Server
    running: asyncio.Task[None]
    apps: dict[str, App] = field(default_factory=dict[str, App])


class HttpServers:
    """The servers of a run; a port is open as long as an application is served on it."""

    def __init__(self) -> None:
        self._open: dict[int, _Port] = {}

    @asynccontextmanager
    async def serving(
        self, app: App, path: str, port: int, setting: str, at_once: int = AT_ONCE
    ) -> AsyncGenerator[int]:
        """Serves an application at a path; one that ends with a slash has all paths below it.

        `at_once` bounds the connections of a port that nobody has opened yet.

        Yields the port, which 0 leaves to the system. Calls under way are answered before it
        ends. Raises SettingError, which names the setting, for a port or a path in use.
        """
        place = self._open.get(port)
        if place is not None and path in place.apps:
            raise SettingError(f"{setting} cannot be {port}: its path {path} is in use.")
        if place is None:
            place = self._started(port, setting, at_once)
        place.apps[path] = app
        try:
            yield place.number
        finally:
            if len(place.apps) == 1:
                self._open.pop(place.number, None)
                place.server.should_exit = True
                await place.running
            del place.apps[path]

    def _started(self, port: int, setting: str, at_once: int) -> _Port:
        listening = _listening(port, setting)
        apps: dict[str, App] = {}
        server = _Server(_config(_handed_on(apps), at_once))
        number = listening.getsockname()[1]
        running = asyncio.create_task(server.serve([listening]), name=f"http server {number}")
        place = self._open[number] = _Port(number, server, running, apps)
        return place


def _handed_on(apps: Mapping[str, App]) -> App:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["raw_path"].decode("latin-1")
        fitting = [at for at in apps if path == at or (at.endswith("/") and path.startswith(at))]
        found = apps[max(fitting, key=len)] if fitting else _nothing
        await found(scope, receive, send)

    return app


async def _nothing(scope: Scope, receive: Receive, send: Send) -> None:
    headers = [(b"content-length", b"0")]
    await send({"type": "http.response.start", "status": 404, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def _config(app: App, at_once: int) -> uvicorn.Config:
    return uvicorn.Config(
        cast(Any, app),  # ASGI, without the names of its types
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        # When all connections are busy, and none is silent, another one is answered with 503.
        limit_concurrency=at_once,
        backlog=_ACCEPTED,
        timeout_graceful_shutdown=_END_SECONDS,
    )


def _listening(port: int, setting: str) -> socket.socket:
    # Only a socket that names its protocol gets TCP_NODELAY; without it every answer waits 40 ms.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise SettingError(f"{setting} cannot be {port}: {error.strerror}.") from error
    return listening
