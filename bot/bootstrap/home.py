"""The form of the door in the home, by which terminals come to a program that serves others."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bot.adapters.terminal.seats import Seats
from bot.bootstrap.channel_form import Accept, Host, OpenChannel
from bot.bootstrap.reception import Reception
from bot.doctor import Check, Finding
from bot.ports.clock import Clock
from bot.settings import Settings


class HomeForm:
    """The terminals of this machine, beside the platforms that are served."""

    title = "The terminal"

    def missing(self, settings: Settings) -> str:
        return ""

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return ()

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        seats = Seats()
        hosts: list[Host] = []

        async def prepare(host: Host) -> None:
            hosts.append(host)

        async def listen(accept: Accept) -> None:
            await received(settings, seats, hosts[0], accept)

        yield OpenChannel(seats, listen, seats, prepare=prepare)


async def received(settings: Settings, seats: Seats, host: Host, accept: Accept) -> None:
    """Keeps the door open until cancelled."""
    await Reception(settings, seats, host, accept).keep_open()
