"""The HTTP client of a server: limits bodies, and records if a request may have had an effect."""

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2

from bot.adapters.mcp.child import LONGEST_LINE
from bot.adapters.mcp.weight import MOST_VALUES, is_too_heavy

_AS_IT_IS = "identity"
_UNHEARD = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

_EVENT_ENDS = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LONGEST_END = 4

_FRAME = 64
"""Bytes that each piece of an answer counts more: its frame is parsed in the loop, too."""

_PIECES_AT_ONCE = 100
"""Pieces after which others have their turn, in some milliseconds."""

_NO_SUCH_PLACE = (404, 405)
"""Statuses of an address that may still speak the older transport, which begins with a GET."""


class TooLong(httpx2.TransportError):
    """The server sent more bytes or more values than one message may have."""


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
    """Limits the messages in an answer, which has one, or is a stream of events with one each."""
    if isinstance(response.stream, httpx2.AsyncByteStream):
        events = "text/event-stream" in response.headers.get("content-type", "")
        response.stream = _Bounded(response.stream, LONGEST_LINE, events=events)


class _Bounded(httpx2.AsyncByteStream):
    """Hands on whole messages, each of them judged before anybody parses it."""

    def __init__(self, stream: httpx2.AsyncByteStream, room: int, *, events: bool) -> None:
        self._stream = stream
        self._room = room
        self._events = events
        self._held: list[bytes] = []
        self._size = 0

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces = 0
        async for chunk in self._stream:
            pieces += 1
            if pieces % _PIECES_AT_ONCE == 0:
                await asyncio.sleep(0)
            tail = self._held[-1][-_LONGEST_END:] if self._held else b""
            self._held.append(chunk)
            self._size += len(chunk) + _FRAME
            if self._size > self._room:
                raise TooLong("its answer is longer than a message may be")
            if self._events and _EVENT_ENDS.search(tail + chunk) is not None:
                yield self._judged()
        yield self._judged()

    def _judged(self) -> bytes:
        whole = b"".join(self._held)
        self._held, self._size = [], 0
        if is_too_heavy(whole):
            raise TooLong(f"its answer has more than {MOST_VALUES} values")
        return whole

    async def aclose(self) -> None:
        await self._stream.aclose()
