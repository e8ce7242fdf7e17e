"""The page of people: who may use the bot, and the commands of owners about them as forms."""

from collections.abc import Sequence

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import Response

from bot.adapters.web.orders import OrderAnswer, Orders
from bot.adapters.web.owners_route import OwnersRoute
from bot.adapters.web.pages.listed import number_of, place_in, ways_told
from bot.adapters.web.posted import Forms, text_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.value import frozen
from bot.ports.people_page import PeoplePages

_COMMANDS = ("allow", "link", "revoke", "rights")
_RIGHTS = ("approve", "commands", "tools", "pace")
_LONGEST = 1_000
_LEVELS = (
    ("off", "only talk"),
    ("changes", "approve changes of files"),
    ("commands", "approve commands, too"),
)


@frozen
class PeopleRoutes:
    """Shows owners everybody."""

    _people: PeoplePages
    _orders: Orders
    _forms: Forms
    _shell: Shell

    def routes(self) -> Sequence[OwnersRoute]:
        return [
            OwnersRoute("/people", self.people),
            OwnersRoute("/people", self.order, methods=["POST"]),
        ]

    async def people(self, request: Request) -> Response:
        return await self._shown(request, None)

    async def order(self, request: Request) -> Response:
        async with self._forms.of(request) as form:
            typed = text_of(form, "typed", _LONGEST)
            command = [text_of(form, "command"), *_words(form)]
        text = typed or " ".join(command)
        return await self._shown(request, await self._orders.typed(request, text, _COMMANDS))

    async def _shown(self, request: Request, answer: OrderAnswer | None) -> Response:
        place = place_in(request, number_of)
        page = await self._people.people(visitor_of(request).person, place)
        if page is None:
            return await self._shell.missing(request)
        return await self._shell.page(
            request,
            "people.html",
            here="more",
            title="People",
            page=page,
            ways=ways_told(page.ways),
            answer=answer,
            levels=_LEVELS,
        )


def _words(form: FormData) -> Sequence[str]:
    """Returns the account of a form, its second one, and the rights that differ from before."""
    words = [text_of(form, "account"), text_of(form, "second")]
    for right in _RIGHTS:
        wanted = "".join(text_of(form, right, _LONGEST).split())
        if wanted and wanted != text_of(form, f"was-{right}", _LONGEST):
            words += [right, wanted]
    return words
