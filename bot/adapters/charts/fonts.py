"""Which fonts can show the names in a chart, and what stands for a name that none can show."""

from collections.abc import Iterable, Sequence
from functools import cache

from matplotlib import font_manager
from matplotlib.ft2font import FT2Font

OURS = "DejaVu Sans"
"""The font that comes with the library: Latin, Cyrillic, Greek, Arabic and more."""

_BOXES = "Last Resort"
"""A font of the library that shows a box for every character there is."""

_MOST = 200
"""Fonts that are looked into; each takes about a millisecond."""


class Fonts:
    """The families that show as many characters as possible of these words."""

    def __init__(self, words: Iterable[str]) -> None:
        missing = {letter for word in words for letter in word} - {" "}
        self.families: list[str] = []
        for family, path in _installed():
            if not missing:
                break
            unseen = {letter for letter in missing if not _shows(path, letter)}
            if unseen < missing or family == OURS:
                self.families.append(family)
                missing = unseen
        self._missing = missing

    def readable(self, name: str, row: int) -> str:
        """Returns the name without what would be empty boxes, or its row when nothing is left."""
        left = "".join(letter for letter in name if letter not in self._missing)
        return left if any(map(str.isalnum, left)) else f"row {row}"


def _installed() -> Sequence[tuple[str, str]]:
    """Returns upright fonts as family and path, our own before all others."""
    found = {
        entry.name: entry.fname
        for entry in font_manager.fontManager.ttflist
        if entry.style == "normal" and entry.weight in {400, "normal", "regular"}
    }
    for name in (OURS, *(name for name in found if name.startswith(_BOXES))):
        found.pop(name, None)
    return [(OURS, font_manager.findfont(OURS)), *sorted(found.items())[:_MOST]]


@cache
def _font(path: str) -> FT2Font | None:
    try:
        return font_manager.get_font(path)
    except (OSError, RuntimeError):
        return None


def _shows(path: str, letter: str) -> bool:
    font = _font(path)
    return font is not None and font.get_char_index(ord(letter)) > 0
