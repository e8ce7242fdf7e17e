"""The page of settings: the switches of a person's chats, and for owners those of the program."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bot.adapters.web.orders import CHANGED, OrderAnswer, Orders
from bot.adapters.web.pages.listed import number_of
from bot.adapters.web.posted import Forms, text_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.value import frozen
from bot.ports.settings_page import SettingRow, SwitchPages


@frozen
class SettingRoutes:
    """Shows everybody the switches of their own chats; what the program reads is for owners."""

    _switches: SwitchPages
    _rows: Sequence[SettingRow]
    _orders: Orders
    _forms: Forms
    _shell: Shell

    def routes(self) -> Sequence[Route]:
        return [
            Route("/settings", self.settings),
            Route("/settings", self.turn, methods=["POST"]),
        ]

    async def settings(self, request: Request) -> Response:
        return await self._shown(request, None)

    async def turn(self, request: Request) -> Response:
        async with self._forms.of(request) as form:
            chat, name = number_of(text_of(form, "chat")), text_of(form, "switch")
            word = text_of(form, "to")
        chats = await self._switches.switches(visitor_of(request).person)
        lines = (line for one in chats if one.chat == chat for line in one.switches)
        if not any(line.name == name and word in line.others for line in lines):
            raise HTTPException(409, CHANGED)
        answer = await self._orders.give(request, name, (word,), chat)
        return await self._shown(request, answer)

    async def _shown(self, request: Request, answer: OrderAnswer | None) -> Response:
        person = visitor_of(request).person
        return await self._shell.page(
            request,
            "settings.html",
            here="more",
            title="Settings",
            chats=await self._switches.switches(person),
            rows=self._rows if person.is_owner else (),
            answer=answer,
        )
