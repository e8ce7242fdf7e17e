"""The page of standing rules: take one back, or give one that a decided card offers."""

from collections.abc import Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from bot.adapters.web.orders import CHANGED, OrderAnswer, Orders, stored
from bot.adapters.web.pages.listed import number_of, place_in, ways_told
from bot.adapters.web.posted import Forms, text_of
from bot.adapters.web.rendering.blocks import block_view
from bot.adapters.web.shell import Shell, visitor_of
from bot.domain.value import frozen
from bot.ports.rules_page import RulePages


@frozen
class RuleRoutes:
    """Shows people their own rules, and owners everybody's."""

    _rules: RulePages
    _orders: Orders
    _forms: Forms
    _shell: Shell

    def routes(self) -> Sequence[Route]:
        return [
            Route("/rules", self.rules),
            Route("/rules", self.remove, methods=["POST"]),
            Route("/rules/offer", self.offer),
            Route("/rules/offer", self.give, methods=["POST"]),
        ]

    async def rules(self, request: Request) -> Response:
        return await self._shown(request, None)

    async def remove(self, request: Request) -> Response:
        async with self._forms.of(request) as form:
            rule = number_of(text_of(form, "rule")) or 0
        chat = await self._rules.chat_of(visitor_of(request).person, rule)
        if chat is None:
            raise HTTPException(409, CHANGED)
        answer = await self._orders.give(request, "rules", ("remove", str(rule)), chat)
        return await self._shown(request, answer)

    async def offer(self, request: Request) -> Response:
        """Shows the whole of what a rule would let run, before anybody gives it."""
        card, number = request.query_params.get("card", ""), request.query_params.get("rule", "")
        person = visitor_of(request).person
        offer = await self._rules.offer(person, card, _place(number))
        if offer is None:
            return await self._shell.missing(request)
        body = [block_view(block) for block in offer.body if block.text]
        return await self._shell.page(
            request, "offer.html", here="more", title="A new rule", offer=offer, body=body
        )

    async def give(self, request: Request) -> Response:
        async with self._forms.of(request) as form:
            card, number = text_of(form, "card"), text_of(form, "rule")
        person = visitor_of(request).person
        if not await stored(self._rules.give(person, card, _place(number))):
            return await self._shell.missing(request)
        return RedirectResponse("/rules", 303)

    async def _shown(self, request: Request, answer: OrderAnswer | None) -> Response:
        place = place_in(request, number_of)
        page = await self._rules.rules(visitor_of(request).person, place)
        return await self._shell.page(
            request,
            "rules.html",
            here="more",
            title="Rules",
            page=page,
            ways=ways_told(page.ways),
            answer=answer,
        )


def _place(text: str) -> int:
    number = number_of(text)
    return -1 if number is None else number
