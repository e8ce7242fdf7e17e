"""The routes of all pages for people who look."""

from collections.abc import Sequence

from starlette.routing import Route

from bot.adapters.web.found import Finder
from bot.adapters.web.pages.cards import CardRoutes
from bot.adapters.web.pages.doctor import DoctorRoutes
from bot.adapters.web.pages.giving import Giving
from bot.adapters.web.pages.memory import MemoryRoutes
from bot.adapters.web.pages.now import NowRoutes
from bot.adapters.web.pages.search import SearchRoutes
from bot.adapters.web.pages.servers import ServerRoutes
from bot.adapters.web.pages.skills import SkillRoutes
from bot.adapters.web.pages.turn import TurnRoutes
from bot.ports.clock import Clock
from bot.ports.doctor_page import Doctor
from bot.ports.reading_pages import ReadingPages


def reading_routes(
    pages: ReadingPages, giving: Giving, clock: Clock, finder: Finder, doctor: Doctor
) -> Sequence[Route]:
    """Returns the routes of all these pages."""
    shell, talks, forms = giving.shell, giving.talks, giving.forms
    return [
        *CardRoutes(pages.cards, talks, forms, shell, clock).routes(),
        *TurnRoutes(pages.turns, shell).routes(),
        *NowRoutes(pages, shell).routes(),
        *MemoryRoutes(pages.memory, giving).routes(),
        *SkillRoutes(pages.skills, giving).routes(),
        *ServerRoutes(pages.servers, giving).routes(),
        *DoctorRoutes(doctor, forms, shell).routes(),
        *SearchRoutes(pages.search, talks, finder, shell).routes(),
    ]
