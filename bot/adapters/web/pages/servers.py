"""The page of tool servers: what each lends, what its tools ask, and what is wrong with it."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.owners_route import OwnersRoute
from bot.adapters.web.pages.giving import Back, Giving, Question
from bot.adapters.web.pages.listed import name_in, place_in
from bot.adapters.web.posted import text_of
from bot.adapters.web.shell import visitor_of
from bot.domain.value import frozen
from bot.ports.server_page import ServerPages

_BACK = Back("/servers", "Tool servers")
_NONE = "No tool server of this name was let in, or it was taken back already. Nothing was changed."
_ENDS = "It ends where it runs. A card asks before it starts again."


@frozen
class ServerRoutes:
    """Shows servers; owners take back that a skill's server was let in."""

    _pages: ServerPages
    _giving: Giving

    def routes(self) -> Sequence[Route]:
        return [
            Route("/servers", self.servers),
            OwnersRoute("/servers/remove", self.ask),
            OwnersRoute("/servers/remove", self.remove, methods=["POST"]),
        ]

    async def servers(self, request: Request) -> Response:
        person = visitor_of(request).person
        listed = await self._giving.talks.listed(person)
        skills = frozenset(one.skill for one in listed if one.skill)
        page = await self._pages.servers(person, skills, place_in(request, name_in))
        return await self._giving.shell.page(
            request, "servers.html", here="more", title="Tool servers", page=page
        )

    async def ask(self, request: Request) -> Response:
        name = await self._removable(request.query_params.get("name", ""))
        title, fields = "Take back that this server was let in?", (("name", name),)
        question = Question(title, name, _ENDS, "/servers/remove", fields, "Take back")
        return await self._giving.asked(request, question, _BACK)

    async def remove(self, request: Request) -> Response:
        async with self._giving.forms.of(request) as form:
            name = await self._removable(text_of(form, "name"))
        return await self._giving.given(request, ("rules", "remove", name), _BACK)

    async def _removable(self, name: str) -> str:
        """Returns the name of a server that can be taken back; raises HTTPException for another."""
        if not await self._pages.removable(name):
            raise HTTPException(404, _NONE)
        return name
