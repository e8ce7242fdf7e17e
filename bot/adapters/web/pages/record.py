"""The page of the permanent record, with filters, and the same lines as a table."""

import csv
import io
from collections.abc import AsyncGenerator, Sequence
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from bot.adapters.web.owners_route import OwnersRoute
from bot.adapters.web.pages.listed import number_of, place_in, ways_told
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.ports.listed import ListPlace
from bot.ports.now_page import RecordChoice, RecordPage, RecordReading

MOST_EXPORTED = 100_000
"""Lines of one table; its last line then tells where the next one begins."""

_EACH, _AT_ONCE = 50, 1_000
"""Lines of a page, and of one reading for a table."""

_HEAD = ("number", "at", "who", "action", "subject", "place", "details")
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that a table program would take for a formula."""

_CHOICES = ("person", "action", "since", "until", "chat")


@frozen
class RecordRoutes:
    """Shows the record to owners."""

    _record: RecordReading
    _shell: Shell

    def routes(self) -> Sequence[OwnersRoute]:
        return [OwnersRoute("/record", self.record), OwnersRoute("/record.csv", self.export)]

    async def record(self, request: Request) -> Response:
        choice, place = _choice(request), place_in(request, number_of)
        person = visitor_of(request).person
        page = await self._record.record(person, choice, place, _EACH)
        if page is None:
            return await self._shell.missing(request)
        chosen = {name: request.query_params.get(name, "")[:40] for name in _CHOICES}
        return await self._shell.page(
            request,
            "record.html",
            here="more",
            title="Record",
            page=page,
            chosen=chosen,
            query=urlencode({name: told for name, told in chosen.items() if told}),
            ways=ways_told(page.ways),
        )

    async def export(self, request: Request) -> Response:
        """Returns every line of the same choice as a table for other programs."""
        choice, place = _choice(request), place_in(request, number_of)
        person = visitor_of(request).person
        first = await self._record.record(person, choice, place, _AT_ONCE)
        if first is None:
            return await self._shell.missing(request)
        headers = {"content-disposition": 'attachment; filename="record.csv"'}
        table = self._table(person, choice, first)
        return StreamingResponse(table, media_type="text/csv", headers=headers)

    async def _table(
        self, person: Person, choice: RecordChoice, page: RecordPage
    ) -> AsyncGenerator[str]:
        yield _lines((_HEAD,))
        count = 0
        while True:
            yield _lines(_cells(page))
            count += len(page.rows)
            if page.ways.behind is None:
                return
            if count >= MOST_EXPORTED:
                more = f"older lines: ask for the table with after={page.ways.behind}"
                yield _lines((("", "", "", more, "", "", ""),))
                return
            found = await self._record.record(person, choice, ListPlace(page.ways.behind), _AT_ONCE)
            if found is None:
                return
            page = found


def _choice(request: Request) -> RecordChoice:
    query = request.query_params
    person, chat = number_of(query.get("person", "")), number_of(query.get("chat", ""))
    days = query.get("since", ""), query.get("until", "")
    return RecordChoice(person, chat, query.get("action", ""), *days)


def _cells(page: RecordPage) -> Sequence[Sequence[str]]:
    rows = ((r.at, r.who, r.action, r.subject, r.place, r.details) for r in page.rows)
    return [
        (str(row.id), *map(_harmless, cells)) for row, cells in zip(page.rows, rows, strict=True)
    ]


def _lines(cells: Sequence[Sequence[str]]) -> str:
    told = io.StringIO()
    csv.writer(told).writerows(cells)
    return told.getvalue()


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
