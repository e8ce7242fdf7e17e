"""Opens the page for one run: its pages, its doors, and the watch over what changes."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bot.adapters.web.application import PATH, Page, application
from bot.adapters.web.hub import Hub
from bot.adapters.web.orders import Orders
from bot.adapters.web.origins import Origins
from bot.adapters.web.pages import enter, files, more
from bot.adapters.web.pages.chat import ChatPages, Commands
from bot.adapters.web.pages.events import MOST, EventPages
from bot.adapters.web.pages.giving import Giving
from bot.adapters.web.pages.looks import MOST as WAITING
from bot.adapters.web.pages.looks import Looks
from bot.adapters.web.pages.reading import Means, reading_routes
from bot.adapters.web.places import Places
from bot.adapters.web.posted import Forms
from bot.adapters.web.rendering.renderer import AT_THE_DOOR, Renderer
from bot.adapters.web.shell import Shell
from bot.adapters.web.sign_in import SignIn
from bot.adapters.web.uploads import Uploads
from bot.bootstrap.channel_form import Accept
from bot.bootstrap.door_form import Serving
from bot.bootstrap.opening import Running
from bot.bootstrap.page_doctor import PageDoctor
from bot.bootstrap.page_search import PageFinder
from bot.bootstrap.page_talks import PageTalks
from bot.bootstrap.page_watch import PageWatch
from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person, Role, Sender
from bot.domain.talk.session import SignInCode
from bot.domain.value import frozen
from bot.flow.commands.menus import menus_of
from bot.ports.clock import Clock
from bot.ports.settings_page import SettingRow
from bot.settings import SettingLine, Settings

_CONNECTIONS = MOST + WAITING + 120
"""Connections of the port: streams, pages that wait for news, and what is asked for beside them."""


@frozen
class PageGround:
    """The parts of a run that the page is made of."""

    settings: Settings
    running: Running
    accept: Accept
    hub: Hub
    uploads: Uploads
    clock: Clock
    renderer: Renderer


def loaded() -> Renderer:
    """Returns the templates, of which the first are compiled; it runs on a thread."""
    return Renderer().load(*AT_THE_DOOR)


@asynccontextmanager
async def served(ground: PageGround, serving: Serving, setting: str) -> AsyncGenerator[int]:
    """Serves the page; its streams end at once when it ends."""
    access, streams = ground.settings.page, Places(MOST)
    origins = Origins.of(access.port, access.public_url)
    people = SignIn(
        ground.running.store.sessions,
        _Admission(ground.running).admit,
        origins,
        ground.clock,
        ground.settings.database_url,
    )
    doctor = PageDoctor(ground.clock, ground.running.application.parts.world.conceal)
    looks = Looks(ground.running.store.written, ground.clock)
    pages = _pages(ground, people, streams, doctor, looks)
    app = application(origins, people, *pages, access.proxies)
    watch = PageWatch(ground.running.store, ground.hub, ground.uploads, ground.clock)
    watching = asyncio.create_task(watch.run(), name="watch of the page")
    sweeping = asyncio.create_task(watch.sweep(), name="sweep of uploads")
    try:
        async with serving(app, PATH, access.port, setting, _CONNECTIONS) as number:
            # A page that is asked for meanwhile is compiled when it is made, on a thread as well.
            compiling = asyncio.create_task(asyncio.to_thread(ground.renderer.load), name="pages")
            try:
                yield number
            finally:
                streams.close()
                looks.close()
                await compiling
    finally:
        await doctor.close()
        for task in (watching, sweeping):
            task.cancel()
        await asyncio.gather(watching, sweeping, return_exceptions=True)


def _pages(
    ground: PageGround, people: SignIn, streams: Places, doctor: PageDoctor, looks: Looks
) -> tuple[Shell, Sequence[Page]]:
    running, zones = ground.running, Zones(ground.settings.policy.timezone)
    talks = PageTalks(running, zones, ground.accept, ground.uploads)
    finder = PageFinder(running.store, talks, zones)
    reading = running.application.parts.inspection.pages
    shell, forms = Shell(ground.renderer, reading.cards.waiting), Forms(people)
    orders = Orders(running.application.parts.entrance.page_commands, talks)
    giving = Giving(orders, forms, shell)
    chat = ChatPages(talks, forms, shell, ground.uploads, ground.clock, _commands(running))
    events = EventPages(talks, people, shell, ground.hub, streams)
    return shell, [
        *enter.routes(people, forms, shell),
        *chat.routes(),
        *events.routes(),
        *files.routes(talks),
        *more.routes(shell),
        *reading_routes(reading, _means(ground, giving, finder, doctor, looks)),
    ]


def _means(
    ground: PageGround, giving: Giving, finder: PageFinder, doctor: PageDoctor, looks: Looks
) -> Means:
    rows = [
        SettingRow(one.name, _told(one), one.origin, one.sentence) for one in ground.settings.lines
    ]
    return Means(giving, ground.clock, finder, doctor, rows, looks)


def _told(line: SettingLine) -> str:
    """Returns the value of a setting; of a secret nothing but that it is set."""
    return ("set" if line.value else "not set") if line.secret else line.value


def _commands(running: Running) -> Commands:
    """Returns the commands of the palette, for members and for owners."""
    table = running.application.parts.command_table.commands
    usages, menus = {command.name: command.usage for command in table}, menus_of(table)
    own = [(name, told, usages[name]) for name, told in menus.private]
    of_owners = [(name, told, usages[name]) for name, told in menus.owners]

    def commands(*, owner: bool) -> Sequence[tuple[str, str, str]]:
        return of_owners if owner else own

    return commands


class _Admission:
    """Lets the person of a code in."""

    def __init__(self, running: Running) -> None:
        self._people = running.store.people

    async def admit(self, code: SignInCode) -> Person | None:
        """Returns the person of a code; whoever is at the machine owns the program on it."""
        if code.person is not None:
            return await self._people.get(code.person)
        channel, _, user = code.account.partition(":")
        return await self._people.admit(Sender(channel, user, code.name), Role.OWNER)
