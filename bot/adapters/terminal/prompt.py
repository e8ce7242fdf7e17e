"""Prompts on a real terminal; this file alone knows the library that draws it."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.renderer import print_formatted_text
from prompt_toolkit.styles import default_ui_style
from prompt_toolkit.utils import get_term_environment_variable, is_dumb_terminal

from bot.adapters.terminal.text import Fragments
from bot.domain.errors import ChannelUnreachable

_MARK = "> "


class Prompt:
    """Reads lines and prints above them; both can go on at the same time."""

    def __init__(
        self,
        history: Path | None = None,
        *,
        source: Input | None = None,
        target: Output | None = None,
    ) -> None:
        self._session: PromptSession[str] = PromptSession(
            history=_history(history), input=source, output=target or _output()
        )
        self._begun: Callable[[], None] | None = None
        self._told = False
        self._session.default_buffer.on_text_changed += self._changed

    async def read(self, live: Callable[[], str], begun: Callable[[], None]) -> str:
        self._begun, self._told = begun, False

        def message() -> FormattedText:
            return FormattedText([("", live()), ("bold", _MARK)])

        # Signals and faults are the program's own business, keys alone are the prompt's.
        return await self._session.prompt_async(
            message, handle_sigint=False, set_exception_handler=False
        )

    async def show(self, fragments: Fragments) -> None:
        def write() -> None:
            output = self._session.output
            print_formatted_text(output, FormattedText(fragments), default_ui_style())
            output.flush()

        try:
            await run_in_terminal(write)
        except OSError as error:
            raise ChannelUnreachable(f"the terminal is gone: {error}", maybe_done=True) from error

    def refresh(self) -> None:
        self._session.app.invalidate()

    def _changed(self, buffer: Buffer) -> None:
        """Tells once that a line was begun, and again if it was emptied in between."""
        if not buffer.text:
            self._told = False
        elif not self._told and self._begun is not None:
            self._told = True
            self._begun()


def _history(path: Path | None) -> History:
    if path is None:
        return InMemoryHistory()
    path.touch(mode=0o600)
    return FileHistory(path)


def _output() -> Output | None:
    """Returns no output of our own for a dumb terminal, where the library only prints lines.

    Elsewhere the cursor's position is never asked for, since not every terminal answers.
    """
    if is_dumb_terminal():
        return None
    term = get_term_environment_variable()
    return Vt100_Output(
        sys.stdout, _size, term=term, default_color_depth=ColorDepth.from_env(), enable_cpr=False
    )


def _size() -> Size:
    columns, rows = shutil.get_terminal_size()
    return Size(rows=rows, columns=columns)
