"""The page of what has no place in the bar: keys, settings of this page, and ways to the others."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.shell import Shell


def routes(shell: Shell) -> Sequence[Route]:
    async def more(request: Request) -> Response:
        return await shell.page(request, "more.html", here="more", title="More")

    return [Route("/more", more)]
