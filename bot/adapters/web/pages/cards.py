"""Cards in one place: every question that waits for a person, with buttons that work."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from bot.adapters.web.counted import counted
from bot.adapters.web.pages.card_views import card_view
from bot.adapters.web.pages.listed import number_of, place_in, row_key, ways_told
from bot.adapters.web.pages.looks import Looks
from bot.adapters.web.posted import Forms, text_of
from bot.adapters.web.shell import Shell, visitor_of
from bot.adapters.web.talks import Talks
from bot.adapters.web.update import Writing
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import RawUpdate
from bot.domain.value import frozen
from bot.ports.card_page import CardPages, StandingCard
from bot.ports.clock import Clock

_GONE = "This card does not wait for you any more. Nothing was done."
_NO_WORDS = "This card stands in the chat of somebody else. Use its buttons. Nothing was sent."
_EMPTY = "There is nothing in this message. Nothing was sent."
_UNSTORED = "The press could not be saved just now. Nothing was done. Press again."
_LONGEST = 20_000


@frozen
class CardRoutes:
    """Shows the cards of a person, and stores presses as updates of the page."""

    _cards: CardPages
    _talks: Talks
    _forms: Forms
    _shell: Shell
    _clock: Clock
    _looks: Looks

    def routes(self) -> Sequence[Route]:
        return [
            Route("/cards", self.cards),
            Route("/cards/part", self.part),
            Route("/press", self.press, methods=["POST"]),
            Route("/word", self.word, methods=["POST"]),
        ]

    async def cards(self, request: Request) -> Response:
        told = await self._told(request)
        query = str(request.query_params)
        return await self._shell.page(
            request, "cards.html", here="cards", title="Cards", query=query, **told
        )

    async def part(self, request: Request) -> Response:
        """Returns the cards for a page that looks again; nothing while nothing has changed."""
        if (unchanged := await self._looks.unchanged(request)) is not None:
            return unchanged
        stamp = self._looks.stamp
        told = await self._told(request)
        frame = await self._shell.frame(request, "cards", "Cards")
        html = await self._shell.part(request, "cards_part.html", frame=frame, **told)
        return HTMLResponse(html, headers={"etag": stamp})

    async def _told(self, request: Request) -> Mapping[str, Any]:
        person, waiting = visitor_of(request).person, place_in(request, row_key)
        page = await self._cards.cards(person, waiting, place_in(request, row_key, "decided-"))
        return {
            "page": page,
            "cards": [card_view(one) for one in page.waiting],
            "talks": await self._talks.keys(person),
            "ways": ways_told(page.ways),
            "decided_ways": ways_told(page.decided_ways),
        }

    async def press(self, request: Request) -> Response:
        async with self._forms.of(request) as form:
            data = text_of(form, "data")
            standing, writing = await self._named(request, form, data)
        await self._store(writing.press(data, standing.message_id))
        await counted(request, self._clock, lambda: self._standing(request, form), standing)
        return RedirectResponse("/cards", 303)

    async def word(self, request: Request) -> Response:
        """Takes the words that a button asks for: they answer the message of the card."""
        async with self._forms.of(request) as form:
            data, text = text_of(form, "data"), text_of(form, "text", _LONGEST)
            if not text.strip():
                raise HTTPException(400, _EMPTY)
            standing, writing = await self._named(request, form, data)
        if not standing.takes(data, text):
            raise HTTPException(409, _NO_WORDS)
        words = writing.message(
            text,
            reply_to=standing.message_id,
            cited=standing.cited,
            asked=data,
            as_guest=not standing.own,
        )
        await self._store(words)
        await counted(request, self._clock, lambda: self._standing(request, form), standing)
        return RedirectResponse("/cards", 303)

    async def _named(
        self, request: Request, form: FormData, data: str
    ) -> tuple[StandingCard, Writing]:
        """Returns the card that a form is about; raises HTTPException when it waits no more."""
        visitor = visitor_of(request)
        standing = await self._standing(request, form)
        if standing is None:
            raise HTTPException(409, _GONE)
        short = hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:12]
        named = text_of(form, "id") or secrets.token_hex(6)
        once = f"cards-{hashlib.sha256(named.encode()).hexdigest()[:12]}-{short}"
        account, name = visitor.account, visitor.person.name
        now = self._clock.now()
        return standing, Writing(account, name, standing.address, visitor.session, once, now)

    async def _standing(self, request: Request, form: FormData) -> StandingCard | None:
        number, key = text_of(form, "chat"), text_of(form, "key")
        return await self._cards.standing(visitor_of(request).person, number_of(number) or 0, key)

    async def _store(self, update: RawUpdate) -> None:
        try:
            await self._talks.accept(update)
        except StoreError:
            raise HTTPException(503, _UNSTORED, {"retry-after": "1"}) from None
