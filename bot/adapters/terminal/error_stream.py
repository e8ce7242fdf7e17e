"""The standard error as a console, for a question whose answer goes to the standard output."""

import os
import shutil
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.adapters.terminal.ansi import encoded
from bot.adapters.terminal.fragments import Fragments
from bot.adapters.terminal.look import Look, look_of
from bot.adapters.terminal.screen import WAITING

if TYPE_CHECKING:
    from bot.adapters.terminal.prompt import Prompt


_ERASED = "\r\x1b[K"


class ErrorStream:
    """Prints lines; on a terminal it can also read them."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self.printed = False
        self._waits = False
        self._prompt: Prompt | None = None

    @property
    def look(self) -> Look:
        columns, rows = shutil.get_terminal_size()
        return look_of(os.environ, columns, rows) if self.is_terminal else Look(dumb=True)

    async def show(self, fragments: Fragments) -> None:
        self.printed = True
        if self._prompt is not None:
            await self._prompt.show(fragments)
            return
        self._write(f"{_ERASED if self._waits else ''}{encoded(fragments, self.look)}")
        self._waits = False
        self.wait()

    def wait(self) -> None:
        """Shows that an answer is due, until something else is shown."""
        if self.is_terminal and self._prompt is None and not self.look.dumb:
            self._waits = True
            self._write(encoded([("dim", WAITING)], self.look))

    def end(self) -> None:
        """Takes the sign of waiting away; an empty line parts what was shown from an answer."""
        self._take_back()
        if self.printed and self.is_terminal and sys.stdout.isatty():
            self._write("\n")

    def _take_back(self) -> None:
        if self._waits:
            self._write(_ERASED)
        self._waits = False

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()

    def refresh(self) -> None:
        if self._prompt is not None:
            self._prompt.refresh()

    async def read(self, live: Callable[[], Fragments], begun: Callable[[], None]) -> str:
        """Reads a line from the terminal, whatever the standard input is."""
        if self._prompt is None:
            # Imported here: most questions need no key.
            from bot.adapters.terminal.prompt import Prompt, on_error_stream

            self._take_back()
            self._prompt = Prompt(None, **on_error_stream())
        return await self._prompt.read(live, begun)
