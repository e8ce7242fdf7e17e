"""The HTTP servers of a run, loaded when the first door opens."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.adapters.http_server.http_servers import HttpServers


class LateServers:
    """Stands for the servers; only a run with a door loads the library."""

    def __init__(self) -> None:
        self._servers: HttpServers | None = None

    @asynccontextmanager
    async def serving(
        self, app: Any, path: str, port: int, setting: str, at_once: int | None = None
    ) -> AsyncGenerator[int]:
        """Serves an application at a path of a port, as `HttpServers` does."""
        if self._servers is None:
            from bot.adapters.http_server.http_servers import HttpServers

            self._servers = HttpServers()
        bound = {} if at_once is None else {"at_once": at_once}
        async with self._servers.serving(app, path, port, setting, **bound) as number:
            yield number
