"""Puts the page together: its routes behind the gate."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeAlias

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles

from bot.adapters.web.gate import STATIC, Gate, SignedIn
from bot.adapters.web.origins import Origins
from bot.adapters.web.refusals import AWAY, BROKEN, sentence_of
from bot.adapters.web.shell import Shell
from bot.domain.talk.errors import StoreError

Page: TypeAlias = BaseRoute
"""A page at its address."""

PATH = "/"
"""The beginning of the paths that the page has: all of them."""

_FILES = Path(__file__).parent / "static"


def application(
    origins: Origins,
    people: SignedIn,
    shell: Shell,
    pages: Sequence[Page],
    proxies: Collection[str],
) -> Gate:
    """Returns the ASGI application of the page."""

    async def refused(request: Request, fault: Exception) -> Response:
        assert isinstance(fault, HTTPException)
        sentence = sentence_of(fault.status_code, fault.detail)
        return shell.fault(fault.status_code, sentence, fault.headers)

    async def away(request: Request, fault: Exception) -> Response:
        return shell.fault(503, AWAY, {"retry-after": "1"})

    async def broken(request: Request, fault: Exception) -> Response:
        return shell.fault(500, BROKEN)

    told = {HTTPException: refused, StoreError: away, Exception: broken}
    routes = [*pages, Mount(STATIC.rstrip("/"), StaticFiles(directory=_FILES))]
    inner = Starlette(routes=routes, exception_handlers=told)
    return Gate(inner, origins, people, proxies)
