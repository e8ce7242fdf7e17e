"""Opens the HTTP door of hooks: a call is stored, with the turn it starts, before its 202."""

import asyncio
import json
import logging
import math
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias
from urllib.parse import quote

from bot.adapters.http_body import Receive, body_of, is_declared_over
from bot.domain.assignments.hook import LARGEST_BODY
from bot.domain.plans.template import is_name
from bot.domain.talk.errors import StoreError
from bot.domain.value import frozen
from bot.ports.hook_service import Answered, CallStatus, Refusal, Refused

PATH = "/hooks/"
READ_SECONDS = 10.0
"""Seconds in which a body must have come."""

STORE_SECONDS = 10.0
"""Seconds in which a call is stored; the caller sends it again after that."""

_READ_AT_ONCE = 8
"""Bodies of one hook that are read at the same time, with half a megabyte together."""

_STATUS = {
    Refusal.UNKNOWN: 404,
    Refusal.UNREADABLE: 400,
    Refusal.TOO_MANY: 429,
    Refusal.NO_PLACE: 503,
    Refusal.REPEATED: 409,
}
_UNKNOWN = "There is no such hook here, or the proof is wrong."
_CLOSING = ("connection", "close")
"""Ends a connection on which more may come that nobody reads."""

_LATER = (("retry-after", "5"),)
_log = logging.getLogger(__name__)

_Scope: TypeAlias = Mapping[str, Any]
_Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]


class Service(Protocol):
    """The flow behind the door."""

    def awaits(self, name: str, headers: Mapping[str, str]) -> bool: ...

    async def take(
        self, name: str, headers: Mapping[str, str], body: bytes
    ) -> Answered | Refused: ...

    async def status(self, name: str, headers: Mapping[str, str], id: str) -> CallStatus | None: ...


@frozen
class _Reply:
    status: int
    told: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


class HookDoor:
    """An ASGI application for the paths below `/hooks/`.

    POST to a hook takes a call, GET of the address in its answer tells how its run stands. An
    unknown name and a wrong proof get the same answer. The body is read only of a call of a hook
    that is there, with what might be its proof.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self._reading: dict[str, list[asyncio.Timeout]] = {}

    async def __call__(self, scope: _Scope, receive: Receive, send: _Send) -> None:
        try:
            reply = await self._answer(scope, receive)
        except TimeoutError:
            reply = _NOT_STORED
        except StoreError as fault:
            _log.warning("a call of a hook cannot be stored: %s", fault)
            reply = _NOT_STORED
        content = f"{json.dumps(reply.told, ensure_ascii=False)}\n".encode("utf-8", "replace")
        fixed = (("content-type", "application/json"), ("cache-control", "no-store"))
        whole = (*fixed, ("content-length", str(len(content))), *reply.headers)
        headers = [(name.encode(), value.encode()) for name, value in whole]
        await send({"type": "http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "http.response.body", "body": content})

    async def _answer(self, scope: _Scope, receive: Receive) -> _Reply:
        names = scope["raw_path"].decode("latin-1").removeprefix(PATH).split("/")
        if not 1 <= len(names) <= 2 or not all(is_name(one) for one in names):
            return _told(404, _UNKNOWN)
        headers = _headers(scope)
        allowed = "POST" if len(names) == 1 else "GET"
        if scope["method"] != allowed:
            return _told(405, f"Use {allowed} here.", ("allow", allowed))
        if allowed == "GET":
            async with asyncio.timeout(STORE_SECONDS):
                found = await self._service.status(names[0], headers, names[1])
            return _told(404, _UNKNOWN) if found is None else _shown(200, found)
        if not self._service.awaits(names[0], headers):
            return _told(404, _UNKNOWN, _CLOSING)
        body = await self._body(names[0], headers, receive)
        return body if isinstance(body, _Reply) else await self._taken(names[0], headers, body)

    async def _taken(self, name: str, headers: Mapping[str, str], body: bytes) -> _Reply:
        async with asyncio.timeout(STORE_SECONDS):
            answer = await self._service.take(name, headers, body)
        if isinstance(answer, Answered):
            return _shown(202, answer.status)
        seconds = str(max(math.ceil(answer.seconds), 1))
        later = (("retry-after", seconds),) if answer.seconds else ()
        told = _UNKNOWN if answer.why is Refusal.UNKNOWN else answer.told
        return _told(_STATUS[answer.why], told, *later)

    async def _body(
        self, name: str, headers: Mapping[str, str], receive: Receive
    ) -> bytes | _Reply:
        """Returns the body, which is never longer than the bound, or the refusal of it."""
        length = headers.get("content-length", "0")
        too_large = _told(413, f"A body has at most {LARGEST_BODY:,} bytes.", _CLOSING)
        if is_declared_over(length, LARGEST_BODY):
            return too_large
        try:
            async with asyncio.timeout(READ_SECONDS) as patience:
                with self._room(name, patience):
                    body = await body_of(receive, LARGEST_BODY)
        except TimeoutError:
            told = f"The body did not come within {READ_SECONDS:g} seconds, or others came first."
            return _told(408, told, _CLOSING)
        return too_large if body is None else body

    @contextmanager
    def _room(self, name: str, patience: asyncio.Timeout) -> Generator[None]:
        """Holds a place among the bodies of this hook that are read.

        If there is none, the body gives way that has been coming for longest: an honest one takes
        an instant, and whoever drips cannot keep others out.
        """
        reading = self._reading.setdefault(name, [])
        if len(reading) >= _READ_AT_ONCE:
            reading.pop(0).reschedule(asyncio.get_running_loop().time())
        reading.append(patience)
        try:
            yield
        finally:
            if patience in reading:
                reading.remove(patience)
            if not reading:
                self._reading.pop(name, None)


def _headers(scope: _Scope) -> Mapping[str, str]:
    return {name.decode("latin-1").lower(): v.decode("latin-1") for name, v in scope["headers"]}


def _told(status: int, sentence: str, *headers: tuple[str, str]) -> _Reply:
    return _Reply(status, {"error": sentence}, headers)


_NOT_STORED = _told(503, "The call was not stored. Send it again.", *_LATER)


def _shown(status: int, call: CallStatus) -> _Reply:
    address = f"{PATH}{quote(call.hook)}/{call.id}"
    told = {"id": call.id, "state": call.state, "status": address}
    if call.answer is not None:
        told["answer"] = call.answer
    return _Reply(status, told, (("location", address),))
