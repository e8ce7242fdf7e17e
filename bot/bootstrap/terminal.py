"""Serves the terminal that Steward was started in."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from bot.adapters.terminal.terminal import Terminal
from bot.bootstrap.channel_form import Host, OpenChannel
from bot.doctor import Check, Finding
from bot.ports.clock import Clock
from bot.settings import Settings


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
                await _show_open_cards(terminal, host)

            yield OpenChannel(terminal.channel, terminal.converse, prepare=prepare)


async def _show_open_cards(terminal: Terminal, host: Host) -> None:
    """Shows cards again, ready to be decided, after the screen was cleared or closed."""
    for row in await host.open_cards(terminal.address):
        await terminal.channel.edit(row.address, row.message_ids[-1], row.pieces[-1])
