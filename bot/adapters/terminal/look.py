"""The abilities of a terminal that decide how contents look on it."""

from collections.abc import Mapping

from bot.domain.value import frozen

MEASURE = 100
"""Columns above which lines of prose are hard to read; tables and code use the whole width."""

BOX_PROSE = 77
"""The same within a box, so that most boxes are equally wide."""

UNBROKEN = 1_000
"""A width that no terminal has: there prose keeps its own lines."""

_NARROWEST = 20

_LINKING = ("KITTY_WINDOW_ID", "WT_SESSION", "WEZTERM_PANE", "KONSOLE_VERSION", "GHOSTTY_BIN_DIR")
_LINKING_PROGRAMS = ("iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby")
_VTE_WITH_LINKS = 5000


@frozen
class Look:
    """The size of a terminal and what it can show."""

    columns: int = 80
    rows: int = 24
    colours: bool = True
    """False where `NO_COLOR` is set; bold and italic text stay."""
    dumb: bool = False
    """True where only lines of letters can be printed: no style, no box, nothing that changes."""
    links: bool = False
    """True where a text can be a link that opens when it is pressed."""

    @property
    def width(self) -> int:
        """Returns the columns that a line may take."""
        return max(_NARROWEST, self.columns)


def prose_width(width: int) -> int:
    """Returns the columns that prose takes where a line may take so many."""
    return width if width >= UNBROKEN else min(width, MEASURE)


def box_prose(width: int) -> int:
    """Returns the columns that prose takes in a box with so many."""
    return width if width >= UNBROKEN else min(width, BOX_PROSE)


def look_of(environ: Mapping[str, str], columns: int, rows: int) -> Look:
    """Reads the abilities of a terminal from its environment."""
    dumb = environ.get("TERM", "").lower() in ("", "dumb", "unknown")
    colours = not dumb and not environ.get("NO_COLOR")
    return Look(columns, rows, colours, dumb, not dumb and _links(environ))


def _links(environ: Mapping[str, str]) -> bool:
    """Returns True for terminals that are known to make links; others would show nothing of it."""
    if environ.get("TERM_PROGRAM") in _LINKING_PROGRAMS or any(environ.get(n) for n in _LINKING):
        return True
    version = environ.get("VTE_VERSION", "")
    return version.isascii() and version.isdecimal() and int(version[:9]) >= _VTE_WITH_LINKS
