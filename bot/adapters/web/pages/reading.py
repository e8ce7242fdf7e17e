"""The routes of all pages for people who look."""

from collections.abc import Sequence

from starlette.routing import Route

from bot.adapters.web.pages.cards import CardRoutes
from bot.adapters.web.pages.now import NowRoutes
from bot.adapters.web.pages.turn import TurnRoutes
from bot.adapters.web.posted import Forms
from bot.adapters.web.shell import Shell
from bot.adapters.web.talks import Talks
from bot.ports.clock import Clock
from bot.ports.reading_pages import ReadingPages


def reading_routes(
    pages: ReadingPages, shell: Shell, talks: Talks, forms: Forms, clock: Clock
) -> Sequence[Route]:
    """Returns the routes of cards, turns, now, money and the record."""
    return [
        *CardRoutes(pages.cards, talks, forms, shell, clock).routes(),
        *TurnRoutes(pages.turns, shell).routes(),
        *NowRoutes(pages, shell).routes(),
    ]
