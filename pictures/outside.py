"""The world outside of a chat: a page of the web, and a program that calls a hook."""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from pictures.phone import Phone
from tests.ports import free_port
from tests.standins.serving import serving

HOOK = """\
---
secret: HOOK_BUILD_SECRET
---

The build {{build}} of {{repo}} failed. The end of its output is {{log}}. Say what failed.
"""
_SECRET = "a-secret-of-the-build-server"


class Outside:
    """Shows a page at `page`, and calls the hook `build`."""

    def __init__(self, page: str, port: int) -> None:
        self.page = page
        self._door = f"http://127.0.0.1:{port}/hooks/build"

    async def call(self, body: Mapping[str, Any]) -> None:
        """Sends a body to the hook, as a build server would."""
        proof = {"Authorization": f"Bearer {_SECRET}"}
        async with httpx.AsyncClient() as client:
            (await client.post(self._door, json=body, headers=proof)).raise_for_status()


@asynccontextmanager
async def outside(at: Phone) -> AsyncGenerator[Outside]:
    """Serves the page, and sets up a program that is not started yet."""

    async def page(request: Request) -> HTMLResponse:
        del request
        return HTMLResponse("<h1>Ferries</h1><p>No tickets are left.</p>")

    port = free_port()
    folder = at.steward.home / "hooks"
    folder.mkdir(parents=True)
    (folder / "build.md").write_text(HOOK)
    async with serving(Starlette(routes=[Route("/ferries", page)])) as url:
        at.steward.settings |= {
            "STEWARD_WEB_HOSTS": url.removeprefix("http://"),
            "STEWARD_HOOKS_LISTEN": str(port),
            "HOOK_BUILD_SECRET": _SECRET,
        }
        yield Outside(f"{url}/ferries", port)
