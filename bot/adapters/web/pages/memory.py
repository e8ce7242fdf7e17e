"""The page of a person's memory: notes, a search with its reasons, changing and erasing."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.orders import OrderAnswer, stored, told
from bot.adapters.web.pages.giving import Back, Giving, Question, Return
from bot.adapters.web.pages.listed import place_in, row_key, ways_told
from bot.adapters.web.posted import text_of
from bot.adapters.web.rendering.views import WordsView
from bot.adapters.web.shell import visitor_of
from bot.domain.memory.note import MOST_NOTE
from bot.domain.value import frozen
from bot.ports.memory_page import MemoryPages

_BACK = Back("/memory", "Memory")
_LONGEST = 4_000
_LONGEST_ID = 200
_ALL = "all"
_SAYS = "The note says now:\n"
_NO_WAY_BACK = (
    "It cannot be brought back. Messages on your screens stay until you delete them there."
)


@frozen
class MemoryRoutes:
    """Shows people their own memory; what changes it is what the chat's commands do."""

    _pages: MemoryPages
    _giving: Giving

    def routes(self) -> Sequence[Route]:
        return [
            Route("/memory", self.memory),
            Route("/memory/note", self.reword, methods=["POST"]),
            Route("/memory/erase", self.ask),
            Route("/memory/erase", self.erase, methods=["POST"]),
        ]

    async def memory(self, request: Request) -> Response:
        query, person = request.query_params, visitor_of(request).person
        page = await self._pages.memory(person, query.get("q", ""), place_in(request, row_key))
        return await self._giving.shell.page(
            request,
            "memory.html",
            here="more",
            title="Memory",
            page=page,
            ways=ways_told(page.ways),
            longest=MOST_NOTE,
        )

    async def reword(self, request: Request) -> Response:
        async with self._giving.forms.of(request) as form:
            note, words = text_of(form, "note", _LONGEST_ID), text_of(form, "text", _LONGEST)
        person, chat = visitor_of(request).person, await self._giving.orders.chat(request)
        done = await stored(self._pages.reword(person, chat, note, words))
        if done.why:
            answer = told(f"{done.why} Nothing was changed.")
            return await self._giving.answered(request, answer, _BACK)
        answer = OrderAnswer(WordsView(f"{_SAYS}{done.now}"))
        # The old words stand in this answer alone: nothing else keeps them.
        back = (("note", done.note), ("text", done.before))
        undo = Return("/memory/note", back) if done.before else None
        return await self._giving.answered(request, answer, _BACK, undo)

    async def ask(self, request: Request) -> Response:
        """Asks before anything is erased, without a script too."""
        id = request.query_params.get("id", "")[:_LONGEST_ID]
        found = await self._pages.erasable(visitor_of(request).person, id)
        if found is None:
            return await self._giving.shell.missing(request)
        every = "Erase everything that you and I said?"
        title = every if id == _ALL else "Erase this?"
        question = Question(
            title, found.words, _NO_WAY_BACK, "/memory/erase", (("id", id),), "Erase"
        )
        return await self._giving.asked(request, question, _BACK)

    async def erase(self, request: Request) -> Response:
        async with self._giving.forms.of(request) as form:
            id = text_of(form, "id", _LONGEST_ID)
        found = await self._pages.erasable(visitor_of(request).person, id)
        if found is None:
            return await self._giving.shell.missing(request)
        return await self._giving.given(request, found.command, _BACK)
