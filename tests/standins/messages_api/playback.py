"""Sends a scripted reply over HTTP: whole or streamed, held, slowed, cut short or dropped."""

import asyncio
import json
from collections.abc import Iterable, Iterator

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from tests.standins.messages_api.messages import stream
from tests.standins.messages_api.refusal import Refusal
from tests.standins.messages_api.replies import Event, Reply
from tests.standins.messages_api.wire import Json
from tests.standins.serving import drop_connection


def refused(refusal: Refusal, request_id: str) -> Response:
    """Build an error answer."""
    headers = {"request-id": request_id}
    if refusal.retry_after is not None:
        headers["retry-after"] = f"{refusal.retry_after:g}"
    return JSONResponse(refusal.envelope(request_id), refusal.status, headers)


class Playback(Response):
    """Plays one reply; it stops as soon as the client has left."""

    def __init__(self, reply: Reply, message: Json, *, streamed: bool, request_id: str) -> None:
        super().__init__(headers={"request-id": request_id})
        self._reply = reply
        self._message = message
        self._streamed = streamed
        self._request_id = request_id

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, while watching for the client to leave."""
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
        for gate in self._gates(None):
            await gate.hold()
        if self._reply.drop and (self._reply.drop_after is None or not self._streamed):
            await drop_connection(Request(scope, receive))
        elif self._reply.refusal:
            await refused(self._reply.refusal, self._request_id)(scope, receive, send)
        elif self._streamed:
            await self._stream(scope, receive, send)
        else:
            headers = {"request-id": self._request_id}
            await JSONResponse(self._message, headers=headers)(scope, receive, send)

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [
            (b"content-type", b"text/event-stream; charset=utf-8"),
            (b"request-id", self._request_id.encode()),
        ]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for position, events in enumerate(self._moments()):
            await _send_events(events, send)
            for gate in self._gates(position):
                await gate.hold()
            if self._reply.drop and self._reply.drop_after == position:
                await drop_connection(Request(scope, receive))
                return
            if self._reply.error and self._reply.error[0] == position:
                await _send_events([self._reply.error[1]], send)
                break
            if self._reply.pause:
                await asyncio.sleep(self._reply.pause)
        await send({"type": "http.response.body", "body": b""})

    def _moments(self) -> Iterator[list[Event]]:
        """Yield, for each position from 0, its own event and those inserted after it."""
        yield self._inserted(0)
        for position, event in enumerate(stream(self._reply, self._message), start=1):
            yield [event, *self._inserted(position)]

    def _inserted(self, position: int) -> list[Event]:
        return [event for after, event in self._reply.inserted if after == position]

    def _gates(self, position: int | None):
        return [gate for after, gate in self._reply.gates if after == position]


async def _send_events(events: Iterable[Event], send: Send) -> None:
    lines = [f"event: {event.name}\ndata: {json.dumps(event.data)}\n\n" for event in events]
    if lines:
        body = "".join(lines).encode()
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
