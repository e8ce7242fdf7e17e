"""Serves the terminal that Steward was started in."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bot.adapters.terminal.greeting import Greeting
from bot.adapters.terminal.known_command import KnownCommand
from bot.adapters.terminal.terminal import Terminal
from bot.bootstrap.channel_form import Host, OpenChannel
from bot.bootstrap.providers import DEMO
from bot.doctor import Check, Finding
from bot.ports.clock import Clock
from bot.settings import Settings
from bot.shipped import command
from bot.shipped.version import running_version

_DEMO = f"the demo: it shows how I work. Run `{command('setup')}` for a real model."
_TRIES = ("What is in this folder?", "Write a note about today", "/plan sort these files by year")
_TRIES_OF_DEMO = (
    "Make minutes of my meeting notes",
    "Tidy my table of expenses",
    "/plan make a report",
)


class TerminalForm:
    """The channel in the foreground: a run that serves it ends when the person leaves."""

    title = "The terminal"

    def missing(self, settings: Settings) -> str:
        return ""

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return ()

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        async with Terminal(clock, settings.home / "chat_history") as terminal:

            async def prepare(host: Host) -> None:
                await host.admit_owner(terminal.sender)
                await _greet(terminal, host, settings)
                await _show_open_cards(terminal, host)

            async def greet(host: Host) -> None:
                await host.warm_up()

            yield OpenChannel(terminal.channel, terminal.converse, prepare=prepare, greet=greet)


async def _greet(terminal: Terminal, host: Host, settings: Settings) -> None:
    model = await host.model_in(terminal.address)
    demo = model == DEMO
    greeting = Greeting(
        running_version(),
        settings.workspace,
        _DEMO if demo else model,
        _TRIES_OF_DEMO if demo else _TRIES,
    )
    offers = [
        KnownCommand(name, told, host.usages.get(name, "")) for name, told in host.menus.machine
    ]
    await terminal.greet(greeting, [*offers, KnownCommand("quit", "leave")])


async def _show_open_cards(terminal: Terminal, host: Host) -> None:
    """Shows cards and a question again, ready to be answered, after the screen was closed."""
    for row in await host.open_cards(terminal.address):
        await terminal.channel.edit(row.address, row.message_ids[-1], row.pieces[-1])
