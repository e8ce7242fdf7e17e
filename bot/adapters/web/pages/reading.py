"""The routes of all pages for people who look."""

from collections.abc import Sequence

from starlette.routing import Route

from bot.adapters.web.found import Finder
from bot.adapters.web.pages.cards import CardRoutes
from bot.adapters.web.pages.doctor import DoctorRoutes
from bot.adapters.web.pages.giving import Giving
from bot.adapters.web.pages.looks import Looks
from bot.adapters.web.pages.memory import MemoryRoutes
from bot.adapters.web.pages.now import NowRoutes
from bot.adapters.web.pages.people import PeopleRoutes
from bot.adapters.web.pages.record import RecordRoutes
from bot.adapters.web.pages.rules import RuleRoutes
from bot.adapters.web.pages.search import SearchRoutes
from bot.adapters.web.pages.servers import ServerRoutes
from bot.adapters.web.pages.settings import SettingRoutes
from bot.adapters.web.pages.skills import SkillRoutes
from bot.adapters.web.pages.turn import TurnRoutes
from bot.domain.value import frozen
from bot.ports.clock import Clock
from bot.ports.doctor_page import Doctor
from bot.ports.reading_pages import ReadingPages
from bot.ports.settings_page import SettingRow


@frozen
class Means:
    """The parts of the page that its routes share."""

    giving: Giving
    clock: Clock
    finder: Finder
    doctor: Doctor
    settings: Sequence[SettingRow]
    """The settings of the program, for owners."""
    looks: Looks


def reading_routes(pages: ReadingPages, by: Means) -> Sequence[Route]:
    """Returns the routes of all pages but those of the chat."""
    giving, orders = by.giving, by.giving.orders
    shell, talks, forms = giving.shell, giving.talks, giving.forms
    return [
        *CardRoutes(pages.cards, talks, forms, shell, by.clock, by.looks).routes(),
        *TurnRoutes(pages.turns, by.finder, shell).routes(),
        *NowRoutes(pages, orders, forms, shell, by.looks).routes(),
        *RecordRoutes(pages.record, shell).routes(),
        *PeopleRoutes(pages.people, orders, forms, shell).routes(),
        *RuleRoutes(pages.rules, orders, forms, shell).routes(),
        *SettingRoutes(pages.switches, by.settings, orders, forms, shell).routes(),
        *MemoryRoutes(pages.memory, giving).routes(),
        *SkillRoutes(pages.skills, giving).routes(),
        *ServerRoutes(pages.servers, giving).routes(),
        *DoctorRoutes(by.doctor, forms, shell).routes(),
        *SearchRoutes(pages.search, talks, by.finder, shell).routes(),
    ]
