"""The form of the page in a browser, which is served beside whatever else is served."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot.adapters.web.channel import PageChannel
from bot.adapters.web.hub import Hub
from bot.adapters.web.uploads import Uploads
from bot.bootstrap.channel_form import Accept, Host, OpenChannel
from bot.bootstrap.door_form import Serving
from bot.bootstrap.first_lines import show
from bot.bootstrap.page_address import sign_in_link
from bot.bootstrap.service_manager import is_service
from bot.doctor import Check, Finding
from bot.domain.talk.errors import SettingError
from bot.domain.talk.session import CODE_MINUTES
from bot.ports.clock import Clock
from bot.ports.duties import Duty
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.bootstrap.opening import Running
    from bot.bootstrap.page_opening import PageGround

SETTING = "STEWARD_WEB_PORT"
_LATEST = 2.0
"""Seconds after which the page is loaded although a platform cannot be reached yet."""

_LATER = 0.02
"""Seconds for what stands beside a first poll: the page is heavy to load."""

_TAKEN = (
    f"The page in the browser is off: port {{port}} of 127.0.0.1 is in use. Change {SETTING}, or "
    "end the other program. Everything else works."
)
_TAKEN_ALONE = (
    f"There is no way to talk to me: no chat app is set up, and port {{port}} of 127.0.0.1, where "
    f"my page would be, is in use. Change {SETTING}, or end the other program."
)
_OPEN = (
    "To talk in a browser of this machine, open this link. It signs you in, once, within {minutes} "
    "minutes:\n{link}"
)
_IN_SERVICE = "The page is at {address}. `steward login` prints a link that signs you in."


def is_taken(port: int) -> bool:
    """Returns True when another program listens on a port of 127.0.0.1."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind(("127.0.0.1", port))
        except OSError:
            return True
    return False


def _loaded() -> tuple[Any, Any]:
    """Loads the page and its templates, on a thread."""
    opening = import_module("bot.bootstrap.page_opening")
    return opening, opening.loaded()


async def _polled(running: "Running") -> None:
    """Waits until the first poll of each platform is under way: nothing may hold it up."""
    ready = asyncio.ensure_future(running.application.parts.world.ready())
    await asyncio.wait((ready,), timeout=_LATEST)
    ready.cancel()
    # Whoever needs the platform tells of its faults.
    await asyncio.gather(ready, return_exceptions=True)
    await asyncio.sleep(_LATER)


class PageForm:
    """The page of this machine; `alone` where no platform and no terminal is served beside it."""

    title = "The page"

    def __init__(self, serving: Serving, *, alone: bool = False) -> None:
        self._serving = serving
        self._alone = alone

    def missing(self, settings: Settings) -> str:
        return "" if settings.page.port else SETTING

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return ()

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        hub, uploads = Hub(), Uploads(settings.home / "uploads")
        hosts: list[Host] = []
        is_open = asyncio.Event()

        async def prepare(host: Host) -> None:
            hosts.append(host)
            taken = is_taken(settings.page.port)
            if taken and self._alone:
                raise SettingError(_TAKEN_ALONE.format(port=settings.page.port))
            if taken:
                show(_TAKEN.format(port=settings.page.port))
            elif is_service():  # a journal keeps what is shown
                show(_IN_SERVICE.format(address=settings.page.address))
            else:
                link = await sign_in_link(settings, host.running.store.sessions, clock)
                show(_OPEN.format(link=link, minutes=CODE_MINUTES))

        async def listen(accept: Accept) -> None:
            running = hosts[0].running
            await _polled(running)
            opening, renderer = await asyncio.to_thread(_loaded)
            ground: PageGround = opening.PageGround(
                settings, running, accept, hub, uploads, clock, renderer
            )
            try:
                async with opening.served(ground, self._serving, SETTING):
                    is_open.set()
                    await asyncio.Event().wait()
            except SettingError:
                await asyncio.Event().wait()  # it was told already: the run goes on

        def reached() -> bool:
            # Beside a platform nobody depends on the page.
            return is_open.is_set() or not self._alone

        yield OpenChannel(
            PageChannel(hub),
            listen,
            uploads,
            reached=reached,
            prepare=prepare,
            duty=Duty.WEB,
            overhear=hub.overhear,
        )
