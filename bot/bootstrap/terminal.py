"""Serves the terminal that Steward was started in, and those that come in by the door."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.adapters.terminal.seats import Seats
from bot.adapters.terminal.terminal import Terminal
from bot.adapters.terminal.update import address_in
from bot.bootstrap.channel_form import Accept, Host, OpenChannel
from bot.bootstrap.home import HomeForm, received
from bot.bootstrap.neighbours import told_of_neighbour
from bot.bootstrap.welcome import welcome
from bot.ports.clock import Clock
from bot.settings import Settings


class TerminalForm(HomeForm):
    """The channel in the foreground: a run that serves it ends when the person leaves."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        history = settings.home / "chat_history"
        async with Terminal(clock, history, address_in(self._folder)) as terminal:
            seats = Seats()
            seats.take(terminal.address, terminal.channel)
            hosts: list[Host] = []

            async def prepare(host: Host) -> None:
                hosts.append(host)
                await host.admit_owner(terminal.sender)
                told = await welcome(settings, host, terminal.address)
                apart = await asyncio.to_thread(told_of_neighbour)
                await terminal.greet({**told, "apart": apart})
                await _show_open_cards(terminal, host)

            async def greet(host: Host) -> None:
                await host.warm_up()

            async def listen(accept: Accept) -> None:
                async with asyncio.TaskGroup() as group:
                    door = group.create_task(received(settings, seats, hosts[0], accept))
                    await terminal.converse(accept)
                    door.cancel()

            yield OpenChannel(seats, listen, seats, prepare=prepare, greet=greet)


async def _show_open_cards(terminal: Terminal, host: Host) -> None:
    """Shows cards and a question again, ready to be answered, after the screen was closed."""
    for row in await host.open_cards(terminal.address):
        await terminal.channel.edit(row.address, row.message_ids[-1], row.pieces[-1])
