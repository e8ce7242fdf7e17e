"""The pages about what goes on, and what it costs."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bot.adapters.web.orders import CHANGED, OrderAnswer, Orders
from bot.adapters.web.pages.looks import Looks
from bot.adapters.web.posted import Forms, text_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.value import frozen
from bot.ports.reading_pages import ReadingPages

_SPANS = ("day", "week", "month")
_SUBJECTS = ("model", "person", "chat", "task", "skill")


@frozen
class NowRoutes:
    """Shows people their own, and owners everything."""

    _pages: ReadingPages
    _orders: Orders
    _forms: Forms
    _shell: Shell
    _looks: Looks

    def routes(self) -> Sequence[Route]:
        return [
            Route("/now", self.now),
            Route("/now", self.order, methods=["POST"]),
            Route("/now/part", self.part),
            Route("/money", self.money),
        ]

    async def now(self, request: Request) -> Response:
        return await self._shown(request, None)

    async def part(self, request: Request) -> Response:
        """Returns what goes on, for a page that looks again; nothing while nothing has changed."""
        if (unchanged := await self._looks.unchanged(request)) is not None:
            return unchanged
        stamp = self._looks.stamp
        page = await self._pages.now.now(visitor_of(request).person)
        frame = await self._shell.frame(request, "now", "Now")
        html = await self._shell.part(request, "now_part.html", page=page, frame=frame)
        return HTMLResponse(html, headers={"etag": stamp})

    async def order(self, request: Request) -> Response:
        """Stops an answer, or runs, pauses or resumes a task or a goal, as commands do."""
        async with self._forms.of(request) as form:
            kind, id, verb = (text_of(form, name) for name in ("kind", "of", "verb"))
        order = await self._pages.now.order(visitor_of(request).person, kind, id, verb)
        if order is None:
            raise HTTPException(409, CHANGED)
        answer = await self._orders.give(request, order.name, order.words, order.chat)
        return await self._shown(request, answer)

    async def money(self, request: Request) -> Response:
        query, person = request.query_params, visitor_of(request).person
        page = await self._pages.money.money(person, query.get("span", ""), query.get("by", ""))
        return await self._shell.page(
            request,
            "money.html",
            here="more",
            title="Money",
            page=page,
            spans=_SPANS,
            subjects=_SUBJECTS,
        )

    async def _shown(self, request: Request, answer: OrderAnswer | None) -> Response:
        page = await self._pages.now.now(visitor_of(request).person)
        return await self._shell.page(
            request, "now.html", here="now", title="Now", page=page, answer=answer
        )
