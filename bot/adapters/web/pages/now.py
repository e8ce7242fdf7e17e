"""The pages about what goes on, what it costs, and what is on record."""

import csv
import io
from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.pages.turn import number_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.value import frozen
from bot.ports.now_page import RecordPage
from bot.ports.reading_pages import ReadingPages

_FORMULAS = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of cells that a table program would take for a formula."""

_SPANS = ("day", "week", "month")
_SUBJECTS = ("model", "person", "chat", "task", "skill")


@frozen
class NowRoutes:
    """Shows people their own, and owners everything; the record is for owners alone."""

    _pages: ReadingPages
    _shell: Shell

    def routes(self) -> Sequence[Route]:
        return [
            Route("/now", self.now),
            Route("/money", self.money),
            Route("/record", self.record),
            Route("/record.csv", self.export),
        ]

    async def now(self, request: Request) -> Response:
        page = await self._pages.now.now(visitor_of(request).person)
        return await self._shell.page(request, "now.html", here="now", title="Now", page=page)

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

    async def record(self, request: Request) -> Response:
        page = await self._read(request)
        if page is None:
            return await self._shell.missing(request)
        query = request.query_params
        chosen = {name: query.get(name, "")[:60] for name in ("action", "person")}
        return await self._shell.page(
            request, "record.html", here="more", title="Record", page=page, chosen=chosen
        )

    async def export(self, request: Request) -> Response:
        """Returns the same part of the record as a table for other programs."""
        page = await self._read(request)
        if page is None:
            return await self._shell.missing(request)
        told = io.StringIO()
        table = csv.writer(told)
        table.writerow(("number", "at", "who", "action", "subject", "place", "details"))
        for row in page.rows:
            cells = (row.at, row.who, row.action, row.subject, row.place, row.details)
            table.writerow((row.id, *map(_harmless, cells)))
        headers = {"content-disposition": 'attachment; filename="record.csv"'}
        return Response(told.getvalue(), media_type="text/csv", headers=headers)

    async def _read(self, request: Request) -> RecordPage | None:
        query, person = request.query_params, visitor_of(request).person
        of, before = number_of(query.get("person", "")), number_of(query.get("before", ""))
        return await self._pages.record.record(person, of, query.get("action", ""), before)


def _harmless(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULAS) else cell
