"""Makes the answers of pages: what stands around them, and the sentences of faults."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import HTMLResponse

from bot.adapters.web.frame import Frame, Here
from bot.adapters.web.refusals import MISSING
from bot.adapters.web.shown import ShownChat, ShownMessage
from bot.adapters.web.visitor import Visitor
from bot.domain.talk.person import Person


class Pages(Protocol):
    """The maker of HTML from a template and its values."""

    def page(self, template: str, **values: Any) -> str: ...


def visitor_of(request: Request) -> Visitor:
    """Returns who is signed in; the gate lets nobody else through to a page."""
    return request.state.visitor


class Shell:
    """Puts every page into its frame."""

    def __init__(self, pages: Pages, waiting: Callable[[Person], Awaitable[int]]) -> None:
        self._pages = pages
        self._waiting = waiting
        self._making = WeakValueDictionary[str, asyncio.Lock]()

    async def frame(self, request: Request, here: Here, title: str) -> Frame:
        """Returns what stands around a page of the person who is signed in."""
        visitor = visitor_of(request)
        person = visitor.person
        waiting = await self._waiting(person)
        return Frame(title, here, waiting, person.name, visitor.csrf, person.is_owner)

    async def page(
        self,
        request: Request,
        template: str,
        *,
        here: Here,
        title: str,
        status: int = 200,
        **values: Any,
    ) -> HTMLResponse:
        """Returns a whole page."""
        frame = await self.frame(request, here, title)
        return HTMLResponse(await self.part(request, template, frame=frame, **values), status)

    async def past(
        self,
        request: Request,
        talk: ShownChat,
        messages: Sequence[ShownMessage],
        *,
        turn: str = "",
        earlier: str,
    ) -> HTMLResponse:
        """Returns a page of older messages; `turn` names the one that was looked for."""
        values = {"chat": talk, "messages": messages, "turn": turn, "earlier": earlier}
        return await self.page(request, "past.html", here="chat", title=talk.title, **values)

    async def part(self, request: Request, template: str, **values: Any) -> str:
        """Returns the HTML of a part of a page.

        It is made beside the event loop, and one at a time for each person: a long text takes a
        while, and whoever wrote it must not keep others waiting.
        """
        visitor: Visitor | None = request.state.visitor
        whose = "" if visitor is None else visitor.whose
        async with self._making.setdefault(whose, asyncio.Lock()):
            return await asyncio.to_thread(self._pages.page, template, **values)

    async def missing(self, request: Request) -> HTMLResponse:
        """Returns the page for an address that leads nowhere, and for one that is another's."""
        return self.fault(404, MISSING)

    def fault(
        self, status: int, sentence: str, headers: Mapping[str, str] | None = None
    ) -> HTMLResponse:
        """Returns a page with one sentence: what happened, and what the person can do."""
        html = self._pages.page("fault.html", sentence=sentence, status=status)
        return HTMLResponse(html, status, headers)
