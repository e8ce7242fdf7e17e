"""Sends a scripted reply over HTTP: whole or streamed, held, slowed, cut short or dropped."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from tests.standins.chat_completions.refusal import Refusal
from tests.standins.chat_completions.replies import Reply
from tests.standins.serving import drop_connection


def refused(refusal: Refusal) -> Response:
    """Build an error answer."""
    headers: dict[str, str] = {}
    if refusal.retry_after is not None:
        headers["retry-after"] = f"{refusal.retry_after:g}"
    return JSONResponse(refusal.envelope, refusal.status, headers)


class Playback(Response):
    """Plays one reply; it stops as soon as the client has left."""

    def __init__(self, reply: Reply, events: Sequence[str], whole: Any, *, streamed: bool) -> None:
        super().__init__()
        self._reply = reply
        self._events = events
        self._whole = whole
        self._streamed = streamed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        playing = asyncio.create_task(self._play(scope, receive, send), name="playback")
        leaving = asyncio.create_task(_left(receive), name="client leaving")
        try:
            await asyncio.wait({playing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (playing, leaving):
                task.cancel()
            await asyncio.gather(playing, leaving, return_exceptions=True)
        if not playing.cancelled():
            playing.result()

    async def _play(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = self._reply
        await self._held(None)
        if reply.drop and (reply.drop_after is None or not self._streamed):
            await drop_connection(Request(scope, receive))
        elif reply.refusal:
            await refused(reply.refusal)(scope, receive, send)
        elif reply.body:
            kind, body = reply.body
            await Response(body, media_type=kind)(scope, receive, send)
        elif self._streamed:
            await self._stream(scope, receive, send)
        else:
            await JSONResponse(self._whole)(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for position, data in enumerate(self._moments()):
            if data:
                await _send(data, send)
            await self._held(position)
            if self._reply.drop and self._reply.drop_after == position:
                await drop_connection(Request(scope, receive))
                return
            if self._reply.pause:
                await asyncio.sleep(self._reply.pause)
        await send({"type": "http.response.body", "body": b""})

    def _moments(self) -> Iterator[list[str]]:
        """Yield, for each position from 0, its own event and those inserted after it."""
        yield self._inserted(0)
        for position, data in enumerate(self._events, start=1):
            yield [data, *self._inserted(position)]

    def _inserted(self, position: int) -> list[str]:
        return [data for after, data in self._reply.inserted if after == position]

    async def _held(self, position: int | None) -> None:
        for after, gate in self._reply.gates:
            if after == position:
                await gate.hold()


async def _send(data: list[str], send: Send) -> None:
    body = "".join(f"data: {each}\n\n" for each in data).encode("utf-8", "surrogatepass")
    await send({"type": "http.response.body", "body": body, "more_body": True})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
