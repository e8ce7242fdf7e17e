"""The first words of a talk in the terminal."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from bot.adapters.terminal.fragments import Fragments, Lines
from bot.adapters.terminal.look import prose_width
from bot.adapters.terminal.paths import path_lines
from bot.adapters.terminal.visible import visible
from bot.domain.value import frozen

_NAMES = 9


@frozen
class Greeting:
    """Everything that somebody who starts the program should know at once."""

    version: str
    """The version of the program."""
    folder: Path
    """The folder that the tools work in."""
    model: str
    """The model that answers, or a sentence on it."""
    tries: tuple[str, ...]
    """Some lines that can be typed, to begin with."""
    home: Path | None = None
    """The folder of everything that is kept, where that is not around the other folder."""
    beside: str = ""
    """The chat of a platform that is shown here too."""
    apart: str = ""
    """A sentence on another Steward of this machine, which is not this one."""

    def lines(self, width: int) -> Lines:
        """Returns the greeting, with words wrapped where a line of prose would be hard to read."""
        width = prose_width(width)
        advice = (
            "I ask before I change anything. /help lists the commands, the Tab key completes "
            "them, and Alt-Enter begins a new line."
        )
        return [
            [("bold", "Steward"), ("dim", f" {self.version}")],
            *(
                _named("Chat", _wrapped(visible(self.beside), width - _NAMES))
                if self.beside
                else ()
            ),
            *_named("Folder", path_lines(visible(_short(self.folder)), width - _NAMES)),
            *(
                _named("Home", path_lines(visible(_short(self.home)), width - _NAMES))
                if self.home
                else ()
            ),
            *_named("Model", _wrapped(visible(self.model), width - _NAMES)),
            *(_named("Note", _wrapped(visible(self.apart), width - _NAMES)) if self.apart else ()),
            [],
            *([("", line)] for line in textwrap.wrap("Just write to me. For example:", width)),
            *([("cyan", f"  {line}")] for one in self.tries for line in _wrapped(one, width - 2)),
            [],
            *([("dim", line)] for line in _wrapped(advice, width)),
        ]


def _named(name: str, lines: Sequence[str]) -> Lines:
    first, *others = lines
    head: Fragments = [("dim", name.ljust(_NAMES)), ("", first)]
    return [head, *([("", f"{'':{_NAMES}}{line}")] for line in others)]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _short(folder: Path) -> str:
    """Returns the path of a folder, with `~` for the home of the user."""
    home = Path("~").expanduser()
    if folder.is_relative_to(home) and home != Path("/"):
        return f"~/{folder.relative_to(home)}"
    return str(folder)
