"""Prompts on a real terminal, with completion and the lines that were typed before."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TextIO, TypedDict

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session, get_app, run_in_terminal
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.history import FileHistory, InMemoryHistory
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.output.plain_text import PlainTextOutput
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle
from prompt_toolkit.utils import Event, get_term_environment_variable

from bot.adapters.terminal.ansi import encoded
from bot.adapters.terminal.fragments import COLOURS, LINK, Fragments
from bot.adapters.terminal.known_command import KnownCommand
from bot.adapters.terminal.look import Look, look_of
from bot.adapters.terminal.typed import KEY
from bot.domain.talk.errors import ChannelUnreachable

_MARK = "> "
_MENU_ROWS = 6
_MOST_PASTED_LINES = 8
_MOST_PASTED = 1_000
"""Lines and letters of a pasted text that the line shows whole."""

_MARKS = re.compile(r"\[Pasted text \d+(?:, \d+ lines)?\]")
_REDRAWN_EVERY = 0.1
"""Seconds between two drawings of the lines that change."""


class Prompt:
    """Reads lines and prints above them; both can go on at the same time."""

    def __init__(
        self,
        history: Path | None = None,
        *,
        source: Input | None = None,
        target: Output | None = None,
        surroundings: Mapping[str, str] = os.environ,
    ) -> None:
        self.commands: Sequence[KnownCommand] = ()
        self._surroundings = surroundings
        self._source = source
        self._output = target or _output(sys.stdout)
        self._pastes = Pastes()
        self._history = (
            InMemoryHistory() if history is None else History(history, self._pastes.whole)
        )
        # The library knows a dumb terminal only as one that is not named.
        with self._place():
            self._session = self._new_session(named=not self.look.dumb)
        self._begun: Callable[[], None] | None = None
        self._told = False

    @property
    def look(self) -> Look:
        size = self._output.get_size()
        return look_of(self._surroundings, size.columns, size.rows)

    async def read(self, live: Callable[[], Fragments], begun: Callable[[], None]) -> str:
        self._begun, self._told = begun, False
        buffer = self._session.default_buffer
        # On a dumb terminal the library adds itself anew with every line.
        buffer.on_text_changed = Event(buffer, self._changed)

        def message() -> FormattedText:
            # A line that was sent stays on the screen: nothing that changes may stay with it.
            still = self.look.dumb or get_app().is_done
            changing = [("", "\n")] if still else live()
            styles = [(_drawn(style), text) for style, text in changing]
            return FormattedText([*styles, ("bold", _MARK)])

        try:
            with self._place():
                # Signals and faults are the program's own business, keys alone are the prompt's.
                line = await self._session.prompt_async(
                    message, handle_sigint=False, set_exception_handler=False
                )
        except OSError as error:  # The terminal is gone while the last line was drawn.
            raise EOFError from error
        return self._pastes.whole(line)

    async def show(self, fragments: Fragments) -> None:
        def write() -> None:
            self._output.write_raw(encoded(fragments, self.look).replace("\n", "\r\n"))
            self._output.flush()

        try:
            await run_in_terminal(write)
        except OSError as error:
            raise ChannelUnreachable(f"the terminal is gone: {error}", maybe_done=True) from error

    def refresh(self) -> None:
        self._session.app.invalidate()

    def _place(self) -> AbstractContextManager[object]:
        """Returns where the library finds a dumb terminal; any other one is named to it."""
        if self.look.dumb:
            return create_app_session(self._source, self._output)
        return nullcontext()

    def _new_session(self, *, named: bool = True) -> PromptSession[str]:
        session: PromptSession[str] = PromptSession(
            history=self._history,
            input=self._source,
            output=self._output if named else None,
            multiline=True,
            key_bindings=_keys(self._pastes),
            completer=Commands(lambda: self.commands),
            complete_while_typing=False,
            complete_style=CompleteStyle.COLUMN,
            reserve_space_for_menu=_MENU_ROWS,
            prompt_continuation=_continued,
        )
        session.app.min_redraw_interval = _REDRAWN_EVERY
        return session

    def _changed(self, buffer: Buffer) -> None:
        """Tells once that a line was begun, and again if it was emptied in between."""
        if not buffer.text:
            self._told = False
        elif not self._told and self._begun is not None:
            self._told = True
            self._begun()


class Pastes:
    """Long pasted texts, each with the few words that stand for it while a line is typed."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def shown(self, text: str) -> str:
        """Returns what the line shows of a pasted text: a short one whole."""
        lines = len(text.splitlines())
        if lines <= _MOST_PASTED_LINES and len(text) <= _MOST_PASTED:
            return text
        number = len(self._texts) + 1
        mark = f"[Pasted text {number}, {lines} lines]" if lines > 1 else f"[Pasted text {number}]"
        self._texts[mark] = text
        return mark

    def whole(self, line: str) -> str:
        """Returns a line as it was meant, with every pasted text in its place."""
        return _MARKS.sub(lambda mark: self._texts.get(mark[0], mark[0]), line)

    def mark_at_end(self, line: str) -> str:
        """Returns the mark of a pasted text at the end of a line; empty where none is."""
        return next((mark for mark in self._texts if line.endswith(mark)), "")


def _keys(pastes: Pastes) -> KeyBindings:
    """Returns the keys that send, begin a new line, and paste."""
    keys = KeyBindings()

    @keys.add("enter")
    def send(event: KeyPressEvent) -> None:
        chosen = event.current_buffer.complete_state
        if chosen is not None and chosen.current_completion is not None:
            event.current_buffer.complete_state = None
        else:
            event.current_buffer.validate_and_handle()

    @keys.add(Keys.BracketedPaste)
    def paste(event: KeyPressEvent) -> None:
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(pastes.shown(text))

    @keys.add("backspace")
    def take_back(event: KeyPressEvent) -> None:
        # A part of a mark would stand for nothing, so a mark goes as a whole.
        buffer = event.current_buffer
        mark = pastes.mark_at_end(buffer.document.text_before_cursor)
        buffer.delete_before_cursor(count=len(mark) or event.arg)

    # Alt-Enter comes as Escape and Enter, and so do the two keys one after the other.
    @keys.add("escape", "enter")
    def new_line(event: KeyPressEvent) -> None:
        event.current_buffer.insert_text("\n")

    return keys


def _continued(width: int, number: int, wrapped: int) -> str:
    return " " * width


def _drawn(style: str) -> str:
    """Returns a style as the prompt names it."""
    words = (word for word in style.split() if not word.startswith(LINK))
    return " ".join(_word(word) for word in words)


def _word(word: str) -> str:
    name = word.removeprefix("bright_")
    if name not in COLOURS:
        return word
    named = f"ansi{'bright' if name != word else ''}{name}"
    return {"ansiwhite": "ansigray", "ansibrightwhite": "ansiwhite"}.get(named, named)


class _Lines(PlainTextOutput):
    """A dumb terminal: it is sent text, and nothing that moves its cursor."""

    def get_size(self) -> Size:
        return _size()


class _Ends(TypedDict):
    source: Input
    target: Output


def on_error_stream() -> _Ends:
    """Returns a prompt's two ends where the standard input and output are used otherwise."""
    return _Ends(source=create_input(always_prefer_tty=True), target=_output(sys.stderr))


def _output(stream: TextIO) -> Output:
    """Returns the terminal; the cursor's position is never asked for: some give no answer."""
    if look_of(os.environ, _size().columns, _size().rows).dumb:
        return _Lines(stream)
    return Vt100_Output(
        stream,
        _size,
        term=get_term_environment_variable(),
        default_color_depth=ColorDepth.from_env(),
        enable_cpr=False,
    )


def _size() -> Size:
    columns, rows = shutil.get_terminal_size()
    return Size(rows=rows, columns=columns)


class Commands(Completer):
    """Completes a line that begins with a slash; any other line stays as it is."""

    def __init__(self, known: Callable[[], Sequence[KnownCommand]]) -> None:
        self._known = known

    def get_completions(
        self, document: Document, complete_event: CompleteEvent
    ) -> Iterable[Completion]:
        text = document.text_before_cursor
        if not text.startswith("/") or "\n" in text:
            return
        name, space, rest = text[1:].partition(" ")
        if not space:
            for offer in self._known():
                if offer.name.startswith(name.lower()):
                    # The line beside a name is shown as it is, so marks of Markdown stay away.
                    told = offer.summary.replace("`", "")
                    yield Completion(f"/{offer.name}", -len(text), display_meta=told)
            return
        begun = rest.rpartition(" ")[2]
        found = next((offer for offer in self._known() if offer.name == name.lower()), None)
        for word in found.words if found else ():
            if word.startswith(begun.lower()) and word != begun:
                yield Completion(word, -len(begun))


_MOST_BYTES = 200_000
"""Bytes above which the oldest half of the file is dropped at the next start."""


class History(FileHistory):
    """Keeps the newest lines but no keys of cards: ↑ and Enter must not press one again."""

    def __init__(self, path: Path, whole: Callable[[str], str] = str) -> None:
        """`whole` returns a line with its pasted texts, which the next program does not know."""
        _made(path)
        super().__init__(path)
        self._whole = whole

    def store_string(self, string: str) -> None:
        super().store_string(self._whole(string))

    def append_string(self, string: str) -> None:
        if not KEY.fullmatch(string.strip()):
            super().append_string(string)


def _made(path: Path) -> None:
    """Creates the file if it is missing, closes it to others, and keeps it small."""
    path.touch(mode=0o600)
    path.chmod(0o600)
    if path.stat().st_size <= _MOST_BYTES:
        return
    kept = path.read_bytes()[-_MOST_BYTES // 2 :]
    # Each line begins behind an empty line with a remark on its time.
    whole = kept.find(b"\n# ")
    new = path.with_name(f"{path.name}.new")
    new.touch(mode=0o600)
    new.write_bytes(kept[whole:] if whole >= 0 else b"")
    new.replace(path)
