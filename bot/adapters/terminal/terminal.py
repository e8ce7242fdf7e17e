"""The terminal as the program uses it: opened, given a channel, and talked to."""

import getpass
from pathlib import Path
from typing import Self

from bot.adapters.terminal.channel import TerminalChannel
from bot.adapters.terminal.dialogue import Accept, Dialogue
from bot.adapters.terminal.screen import Screen
from bot.adapters.terminal.update import ADDRESS, NAME, Writer
from bot.domain.person import Sender
from bot.ports.clock import Clock


class Terminal:
    """Use as an async context manager; `channel` and `converse` are there once it is entered."""

    channel: TerminalChannel
    address = ADDRESS

    def __init__(self, clock: Clock, history: Path | None = None) -> None:
        self._clock = clock
        self._history = history
        self._writer = Writer(*_user())

    @property
    def sender(self) -> Sender:
        """Returns the person at this terminal."""
        return Sender(NAME, self._writer.user, self._writer.name)

    async def __aenter__(self) -> Self:
        # Imported here: a run that serves other channels never needs its weight.
        from bot.adapters.terminal.prompt import Prompt  # noqa: PLC0415

        prompt = Prompt(self._history)
        self._screen = Screen(prompt)
        self.channel = TerminalChannel(self._screen)
        self._dialogue = Dialogue(prompt, self._screen, self._writer, self._clock)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._screen.finish()

    async def converse(self, accept: Accept) -> None:
        """Reads lines and has their updates accepted, until the person leaves."""
        await self._dialogue.hold(accept)


def _user() -> tuple[str, str]:
    try:
        user = getpass.getuser()
    except (OSError, KeyError):
        user = "local"
    return user, user
