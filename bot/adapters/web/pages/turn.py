"""The page of one turn: what happened, what it decided, and what a model was given."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.found import Finder
from bot.adapters.web.pages.listed import number_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.value import frozen
from bot.ports.turn_page import PARTS, Part, TurnLook, TurnPages


@frozen
class TurnRoutes:
    """Shows a turn to its asker and to owners; to anybody else there is no such page."""

    _turns: TurnPages
    _finder: Finder
    _shell: Shell

    def routes(self) -> Sequence[Route]:
        return [Route("/turn/{turn}", self.turn), Route("/turn/{turn}/json", self.json)]

    async def turn(self, request: Request) -> Response:
        look = _look(request)
        person = visitor_of(request).person
        page = await self._turns.turn(request.path_params["turn"], person, look)
        if page is None:
            return await self._shell.missing(request)
        # Owners see turns of conversations that are not theirs.
        keys = await self._finder.keys(person)
        return await self._shell.page(
            request,
            "turn.html",
            here="chat",
            title=f"Why: {page.title}",
            page=page,
            look=look,
            parts=_PARTS,
            talk=keys.get(page.chat, ""),
        )

    async def json(self, request: Request) -> Response:
        """Returns the page of a turn as JSON, as bounded and as hidden as the page is."""
        person = visitor_of(request).person
        page = await self._turns.turn(request.path_params["turn"], person, _look(request))
        if page is None:
            return await self._shell.missing(request)
        headers = {"content-disposition": 'attachment; filename="turn.json"'}
        told = await asyncio.to_thread(json.dumps, asdict(page), ensure_ascii=False, indent=1)
        body = told.encode("utf-8", "replace")
        return Response(body, headers=headers, media_type="application/json")


_NAMED: dict[str, Part] = {part: part for part in PARTS}
_PARTS = {
    "request": "Request",
    "beside": "Side by side",
    "log": "Raw log",
    "reply": "Reply",
    "differences": "Differences",
}


def _look(request: Request) -> TurnLook:
    query = request.query_params
    part: Part = _NAMED.get(query.get("part", ""), "request")
    before = number_of(query.get("before", ""))
    unfolded = query.get("unfold") == "1"
    return TurnLook(number_of(query.get("round", "")) or 0, part, unfolded, before)
