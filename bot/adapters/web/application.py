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
from bot.adapters.web.shell import Shell
from bot.domain.talk.errors import StoreError

Page: TypeAlias = BaseRoute
"""A page at its address."""

PATH = "/"
"""The beginning of the paths that the page has: all of them."""

_AWAY = "The store cannot be read just now. Nothing was done. Load the page again in a moment."
_FILES = Path(__file__).parent / "static"


def application(
    origins: Origins,
    people: SignedIn,
    shell: Shell,
    pages: Sequence[Page],
    proxies: Collection[str],
) -> Gate:
    """Returns the ASGI application of the page."""

    async def missing(request: Request, fault: Exception) -> Response:
        assert isinstance(fault, HTTPException)
        if fault.status_code == 404:
            return await shell.missing(request)
        return shell.fault(fault.status_code, fault.detail, fault.headers)

    async def away(request: Request, fault: Exception) -> Response:
        return shell.fault(503, _AWAY, {"retry-after": "1"})

    routes = [*pages, Mount(STATIC.rstrip("/"), StaticFiles(directory=_FILES))]
    inner = Starlette(routes=routes, exception_handlers={HTTPException: missing, StoreError: away})
    return Gate(inner, origins, people, proxies)
