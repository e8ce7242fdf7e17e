"""The pages of skills: the list of them, one of them, and the conversations that it is on in."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.orders import told
from bot.adapters.web.pages.giving import Back, Giving
from bot.adapters.web.pages.listed import name_in, place_in
from bot.adapters.web.posted import text_of
from bot.adapters.web.shell import visitor_of
from bot.domain.value import frozen
from bot.ports.skill_page import SkillPages

_BACK = Back("/skills", "Skills")
_OFF = "off"
_OTHER = "That skill is not on there any more. Nothing was changed."


@frozen
class SkillRoutes:
    """Shows skills to everybody, and switches one on or off in a person's own conversations."""

    _pages: SkillPages
    _giving: Giving

    def routes(self) -> Sequence[Route]:
        return [
            Route("/skills", self.skills),
            Route("/skills/use", self.use, methods=["POST"]),
            Route("/skills/{name}", self.skill),
        ]

    async def skills(self, request: Request) -> Response:
        query, person = request.query_params, visitor_of(request).person
        page = await self._pages.skills(person, query.get("q", ""), place_in(request, name_in))
        on = {one.skill for one in await self._giving.talks.listed(person)}
        return await self._giving.shell.page(
            request, "skills.html", here="more", title="Skills", page=page, on=on
        )

    async def skill(self, request: Request) -> Response:
        name, person = request.path_params["name"], visitor_of(request).person
        page = await self._pages.skill(person, name)
        if page is None:
            return await self._giving.shell.missing(request)
        chats = await self._giving.talks.listed(person)
        return await self._giving.shell.page(
            request,
            "skill.html",
            here="more",
            title=page.line.name,
            page=page,
            on=[one for one in chats if one.skill == name],
            off=[one for one in chats if one.skill != name],
        )

    async def use(self, request: Request) -> Response:
        """Switches a skill on in a conversation, or off as long as it is the one that is on."""
        async with self._giving.forms.of(request) as form:
            name, chat, off = (text_of(form, one) for one in ("name", "chat", "off"))
        person = visitor_of(request).person
        listed = await self._giving.talks.listed(person)
        if not off and await self._pages.skill(person, name) is None:
            return await self._giving.shell.missing(request)
        if off and not any(one.key == chat and one.skill == off for one in listed):
            return await self._giving.answered(request, told(_OTHER), _BACK)
        return await self._giving.given(request, ("skill", _OFF if off else name), _BACK, chat)
