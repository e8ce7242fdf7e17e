"""The HTTP side: tokens, method names, ordered faults, and the shape of answers."""

import asyncio
import inspect
import json
import re

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.standins.bot_api.faults import (
    AnswerRaw,
    DropAnswer,
    DropRequest,
    Fault,
    Refuse,
    Stall,
)
from tests.standins.bot_api.methods import METHODS, RICH, method_name
from tests.standins.bot_api.parameters import Parameters, read_parameters
from tests.standins.bot_api.refusal import Refusal, not_found, unauthorized
from tests.standins.bot_api.service import Call, Service
from tests.standins.gate import Gate
from tests.standins.serving import drop_connection

_TOKEN = re.compile(r"\d+:[\w-]+", re.ASCII)


def build_app(service: Service) -> Starlette:
    server = _Server(service)
    return Starlette(
        routes=[
            Route("/file/bot{token}/{path:path}", server.download),
            Route("/bot{token}/{method}", server.call, methods=["GET", "POST"]),
            Route("/{rest:path}", server.unknown, methods=["GET", "POST"]),
        ]
    )


class _Server:
    def __init__(self, service: Service) -> None:
        self._service = service

    async def unknown(self, _: Request) -> Response:
        return _refused(not_found())

    async def download(self, request: Request) -> Response:
        try:
            self._check_token(request)
        except Refusal as refusal:
            return _refused(refusal)
        path = request.path_params["path"]
        for stored in self._service.world.files.values():
            if stored.path == path:
                return Response(stored.data, media_type=stored.mime_type)
        return _refused(not_found())

    async def call(self, request: Request) -> Response:
        try:
            self._check_token(request)
            method = method_name(request.path_params["method"])
            if method is None:
                raise not_found()
            parameters = await read_parameters(request)
            if method in RICH and not self._service.rich:
                call = self._service.record(method, parameters)
                call.status, call.description = 404, "Not Found: method not found"
                raise Refusal(404, call.description)
        except Refusal as refusal:
            return _refused(refusal)
        call = self._service.record(method, parameters)
        response = await self._answer(request, call, parameters)
        if response is None:
            return Response()
        call.status = response.status_code
        self._service.pulse.beat()
        return response

    def _check_token(self, request: Request) -> None:
        token = request.path_params["token"]
        if not _TOKEN.fullmatch(token):
            raise not_found()
        if token != self._service.token:
            self._service.rejected += 1
            self._service.pulse.beat()
            raise unauthorized()

    async def _answer(
        self, request: Request, call: Call, parameters: Parameters
    ) -> Response | None:
        """The answer of a call; None if the connection is gone without one."""
        fault = self._service.faults.take(call.method)
        match fault:
            case Refuse(status, description, retry_after):
                call.description = description
                told = {} if retry_after is None else {"retry_after": retry_after}
                return _refused(Refusal(status, description, **told))
            case DropRequest():
                return await drop_connection(request)
            case Stall():
                return await _left(request)
            case AnswerRaw(after_work=False):
                return _raw(fault)
            case Gate(after_work=False):
                await fault.hold()
        try:
            response = _accepted(await self._work(request, call.method, parameters))
        except Refusal as refusal:
            call.description = refusal.description
            response = _refused(refusal)
        self._service.pulse.beat()
        return await self._after_work(request, fault, response)

    async def _after_work(
        self, request: Request, fault: Fault | None, response: Response
    ) -> Response | None:
        match fault:
            case DropAnswer():
                return await drop_connection(request)
            case AnswerRaw():
                return _raw(fault)
            case Gate(after_work=True):
                await fault.hold()
        return response

    async def _work(self, request: Request, method: str, parameters: Parameters) -> object:
        result = METHODS[method](self._service, parameters)
        if inspect.isawaitable(result):
            return await _unless_left(request, asyncio.ensure_future(result))
        return result


_LEAVING_SECONDS = 0.3


async def _unless_left(request: Request, work: "asyncio.Future[object]") -> object:
    """Wait for the work; it is cancelled when the client leaves, as a poll nobody reads."""
    leaving = asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait((work, leaving), return_when=asyncio.FIRST_COMPLETED)
        if work.done() and work.exception() is not None:
            # On a busy machine the next poll may be read before the end of the one it follows.
            await asyncio.wait((leaving,), timeout=_LEAVING_SECONDS)
        return [] if leaving.done() else await work
    finally:
        leaving.cancel()
        work.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _accepted(result: object) -> Response:
    # Escaped, so that a lone surrogate of a hostile update can travel at all.
    body = json.dumps({"ok": True, "result": result}, ensure_ascii=True)
    return Response(body, media_type="application/json")


def _refused(refusal: Refusal) -> Response:
    body = json.dumps(refusal.to_json())
    return Response(body, status_code=refusal.status, media_type="application/json")


def _raw(fault: AnswerRaw) -> Response:
    return Response(fault.body, status_code=fault.status, media_type=fault.content_type)
