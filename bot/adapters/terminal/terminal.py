"""The terminal as the program uses it: opened, given a channel, and talked to."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from bot.adapters.terminal.account import account
from bot.adapters.terminal.channel import TerminalChannel
from bot.adapters.terminal.dialogue import Accept, Dialogue
from bot.adapters.terminal.greeting import Greeting
from bot.adapters.terminal.known_command import KnownCommand
from bot.adapters.terminal.late_renderer import LateRenderer
from bot.adapters.terminal.layout import Layout
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.update import ADDRESS, NAME, Writer
from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender
from bot.ports.clock import Clock


class Terminal:
    """Use as an async context manager; `channel` and `converse` are there once it is entered."""

    channel: TerminalChannel

    def __init__(
        self,
        clock: Clock,
        history: Path | None = None,
        address: Address = ADDRESS,
        *,
        visits: bool = False,
    ) -> None:
        """One that `visits` leaves a program that goes on without it."""
        self.address = address
        self._clock = clock
        self._history = history
        self._visits = visits
        self._writer = Writer(*account(), address.chat)
        self._renderer = LateRenderer()

    @property
    def sender(self) -> Sender:
        """Returns the person at this terminal."""
        return Sender(NAME, self._writer.user, self._writer.name)

    async def __aenter__(self) -> Self:
        # Imported here: a run that serves other channels never needs its weight.
        from bot.adapters.terminal.prompt import Prompt

        self._prompt = Prompt(self._history)
        self._screen = Screen(self._prompt, Layout(self._renderer))
        self.channel = TerminalChannel(self._screen, self.address)
        self._dialogue = Dialogue(
            self._prompt, self._screen, self._writer, self._clock, visits=self._visits
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._screen.finish()

    async def greet(self, welcome: Mapping[str, Any]) -> None:
        """Prints the greeting; from then on the Tab key completes its commands."""
        self._prompt.commands = [KnownCommand(*one) for one in welcome["commands"]]
        home = welcome["home"]
        greeting = Greeting(
            welcome["version"],
            Path(welcome["folder"]),
            welcome["model"],
            tuple(welcome["tries"]),
            None if home is None else Path(home),
            welcome.get("beside", ""),
            welcome.get("apart", ""),
        )
        await self._screen.greet(greeting.lines(self._prompt.look.width))
        if remark := welcome.get("remark", ""):
            await self._screen.line(remark)

    async def say(self, text: str) -> None:
        """Prints a passing remark."""
        self._screen.typing(on=False)
        await self._screen.line(text)

    async def converse(self, accept: Accept) -> None:
        """Reads lines and has their updates accepted, until the person leaves."""
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(self._renderer.load), name="renderer")
            await self._dialogue.hold(accept)
