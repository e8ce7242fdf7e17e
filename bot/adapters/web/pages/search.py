"""The search in a person's conversations, and the part of one around a message that it found."""

from collections.abc import Sequence
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bot.adapters.web.found import Finder
from bot.adapters.web.pages.listed import number_of, place_in, ways_told
from bot.adapters.web.rendering.sentences import places
from bot.adapters.web.shell import Shell, visitor_of
from bot.adapters.web.talks import Talks
from bot.domain.value import frozen
from bot.ports.search_page import SearchPages

_LONGEST = 300


@frozen
class SearchRoutes:
    _pages: SearchPages
    _talks: Talks
    _finder: Finder
    _shell: Shell

    def routes(self) -> Sequence[Route]:
        return [
            Route("/search", self.search),
            Route("/find", self.find),
            Route("/chat/{key}/at/{turn}", self.place),
        ]

    async def find(self, request: Request) -> Response:
        """Returns the person's conversations and pages with these words, for the palette."""
        person, asked = visitor_of(request).person, _asked(request)
        found = await self._finder.titled(person, asked)
        told = await self._shell.part(
            request,
            "found.html",
            chats=[(one.href, one.title) for one in found],
            places=places(owner=person.is_owner, words=asked),
            asked=asked,
        )
        return HTMLResponse(told)

    async def search(self, request: Request) -> Response:
        """Finds conversations by their titles, and earlier answers by words."""
        person, asked = visitor_of(request).person, _asked(request)
        page = await self._pages.said(person, asked, place_in(request, number_of))
        first = asked and page.ways.before is None
        titled = await self._finder.titled(person, asked) if first else []
        return await self._shell.page(
            request,
            "search.html",
            here="chat",
            title="Search",
            asked=asked,
            titled=titled,
            page=page,
            ways=ways_told(page.ways),
            keys=await self._finder.keys(person),
        )

    async def place(self, request: Request) -> Response:
        """Shows the messages up to the answer of a turn, which the link's fragment names."""
        person = visitor_of(request).person
        talk = await self._talks.of(person, request.path_params["key"])
        if talk is None:
            raise HTTPException(404)
        turn = request.path_params["turn"]
        behind = await self._finder.behind(talk.number, turn)
        if not behind:
            raise HTTPException(404)
        part = await talk.part(request.query_params.get("before") or behind)
        earlier = part.before and f"/chat/{talk.key}/at/{quote(turn)}?before={part.before}"
        told = await talk.told()
        return await self._shell.past(request, told, part.messages, turn=turn, earlier=earlier)


def _asked(request: Request) -> str:
    return request.query_params.get("q", "").strip()[:_LONGEST]
