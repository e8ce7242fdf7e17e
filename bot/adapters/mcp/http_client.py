"""The HTTP client of a server: limits bodies, and records if a request may have had an effect."""

from collections.abc import AsyncIterator
from typing import Any

import httpx2

from bot.adapters.mcp.child import LONGEST_LINE

_AS_IT_IS = "identity"
_UNHEARD = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

_NO_SUCH_PLACE = (404, 405)
"""Statuses of an address that may still speak the older transport, which begins with a GET."""


class TooLong(httpx2.TransportError):
    """The server sent more bytes than one message may have."""


class Packed(httpx2.TransportError):
    """The server sent a compressed body; even a small one may unpack to more than the memory."""


class WatchedClient(httpx2.AsyncClient):
    """Records the fate of the requests since `forget()`: did none of them reach the server?

    `unheard` is True once a request never reached the server or was refused with a 4xx. `doubtful`
    is True once a request was taken, was lost on the way, or failed inside the server: its effect
    may have happened. `absent` is the status of an address that takes no POST at all; 0 while it
    may.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, event_hooks={"response": [_unpacked, _bound_body]})
        self.headers["accept-encoding"] = _AS_IT_IS
        self.absent = 0
        self._taken = False
        self.forget()

    def forget(self) -> None:
        self.unheard = False
        self.doubtful = False

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        if request.method != "POST":
            return await super().send(request, **options)
        try:
            response = await super().send(request, **options)
        except _UNHEARD:
            self.unheard = True
            raise
        except httpx2.TransportError:
            self.doubtful = True
            raise
        self._taken = self._taken or response.status_code not in _NO_SUCH_PLACE
        self.absent = 0 if self._taken else response.status_code
        turned_away = 400 <= response.status_code < 500
        self.unheard = self.unheard or turned_away
        self.doubtful = self.doubtful or not turned_away
        return response


async def _unpacked(response: httpx2.Response) -> None:
    if response.headers.get("content-encoding", _AS_IT_IS) != _AS_IT_IS:
        raise Packed("its answers are packed, which was not asked for")


async def _bound_body(response: httpx2.Response) -> None:
    """Limits the body of an answer; the reader of an event stream limits that one."""
    streamed = "text/event-stream" in response.headers.get("content-type", "")
    if not streamed and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Bounded(response.stream, LONGEST_LINE)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, room: int) -> None:
        self._stream = stream
        self._room = room

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._stream:
            self._room -= len(chunk)
            if self._room < 0:
                raise TooLong("its answer is longer than a message may be")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
