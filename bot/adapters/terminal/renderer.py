"""The part that lays contents out for a terminal, as the screen sees it."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bot.adapters.terminal.fragments import Lines


class Border(NamedTuple):
    """A place at which a Markdown text can be cut, to be laid out in parts."""

    place: int
    opens: bool
    """True where a new block begins; False within a list or a block of code."""


class Renderer(Protocol):
    """Lays texts out in lines of at most `width` columns; every text is made safe on the way.

    Prose keeps to a measure that can be read; tables and code take the whole width.
    """

    def markdown(self, text: str, width: int, start: int = 0, end: int | None = None) -> Lines:
        """Lays Markdown out, or its part between two borders."""
        ...

    def borders(self, text: str) -> Sequence[Border]:
        """Returns the borders of a Markdown text, from its beginning to its end.

        A text that goes on after its last line changes nothing in front of the last border but one.
        """
        ...

    def plain(self, text: str, width: int, *, code: bool = False) -> Lines:
        """Lays out a text without any marks; with `code`, words between two backticks are code."""
        ...

    def code(self, text: str, language: str, width: int) -> Lines:
        """Lays out code as it is; a line that goes on in the next one is marked there."""
        ...
