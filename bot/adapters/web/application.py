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

    async def missing(request: Request, fault: Exception) -> Response:
        status = fault.status_code if isinstance(fault, HTTPException) else 404
        if status == 404:
            return await shell.missing(request)
        told = fault.detail if isinstance(fault, HTTPException) else ""
        return shell.fault(status, told)

    routes = [*pages, Mount(STATIC.rstrip("/"), StaticFiles(directory=_FILES))]
    inner = Starlette(routes=routes, exception_handlers={HTTPException: missing})
    return Gate(inner, origins, people, proxies)
