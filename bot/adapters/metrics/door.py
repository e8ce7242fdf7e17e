"""The port for an operator: /healthz, /readyz and /metrics, over plain HTTP on 127.0.0.1."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

PATH = "/"
Receive: TypeAlias = Callable[[], Awaitable[Mapping[str, Any]]]
Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]
Ready: TypeAlias = Callable[[], Awaitable[str]]
"""Returns what is not ready, in a sentence; empty when everything is."""

Scrape: TypeAlias = Callable[[], Awaitable[bytes]]
_WORDS = "text/plain; charset=utf-8"


class MetricsDoor:
    """An ASGI application that reads nothing of a request but its path."""

    def __init__(self, ready: Ready, scrape: Scrape) -> None:
        self._ready = ready
        self._scrape = scrape

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        status, body, kind = await self._answer(scope["method"], scope["path"])
        headers = [
            (b"content-type", kind.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        told = b"" if scope["method"] == "HEAD" else body
        await send({"type": "http.response.body", "body": told})

    async def _answer(self, method: str, path: str) -> tuple[int, bytes, str]:
        if method not in ("GET", "HEAD"):
            return 405, b"Use GET.\n", _WORDS
        match path:
            case "/healthz":
                return 200, b"alive\n", _WORDS
            case "/readyz":
                lacks = await self._ready()
                return (503, f"{lacks}\n".encode(), _WORDS) if lacks else (200, b"ready\n", _WORDS)
            case "/metrics":
                return 200, await self._scrape(), CONTENT_TYPE_PLAIN_0_0_4
            case _:
                return 404, b"Here are /healthz, /readyz and /metrics.\n", _WORDS
