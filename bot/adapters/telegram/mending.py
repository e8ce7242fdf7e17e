"""Escapes text that the Markdown converter would drop or misread, so that every word is shown.

Raw HTML would vanish, `a || b || c` would become a hidden spoiler, the dollars of `$HOME:$PATH`
would be taken for mathematics, and the underscores of an address for formatting.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyromark
from telegramify_markdown.converter import STANDARD_OPTIONS

from bot.domain.text.whole_addresses import marks_in_addresses

_SUSPECT = re.compile(r"<|\$|\|\||://")
_BARS = re.compile(rb"\|\|+")
# Each pass may uncover HTML that the block before it had swallowed.
_PASSES = 30


def mended(source: str) -> str | None:
    """Returns Markdown that says the same without the traps; None if some are left."""
    if not _SUSPECT.search(source):
        return source
    for _ in range(_PASSES):
        data = source.encode()
        insertions = _Reading(data).insertions()
        if not insertions:
            return source
        source = _inserted(data, insertions).decode()
    return None


@dataclass(slots=True)
class _Reading:
    """One look at a source in UTF-8; all offsets are bytes."""

    data: bytes
    code: list[range] = field(default_factory=list[range])
    tables: list[range] = field(default_factory=list[range])
    found: dict[int, bytes] = field(default_factory=dict[int, bytes])
    html: bool = False
    """True when there is a block of HTML."""

    def insertions(self) -> dict[int, bytes]:
        """Texts to insert, by offset."""
        source = self.data.decode()
        for payload, place in pyromark.events_with_range(source, options=STANDARD_OPTIONS):
            self._look(payload, range(place["start"], place["end"]))
        if self.found and self.html:
            # Code within HTML is seen as code in the next pass alone.
            return self.found
        if self.data.count(b"||") > 1:
            self._part_bars()
        for place in _places_in_bytes(source, marks_in_addresses(source)):
            if not _inside(place, self.code):
                self.found[place] = b"\\"
        return self.found

    def _look(self, payload: Any, place: range) -> None:
        match payload:
            case {"Start": "HtmlBlock"}:
                self.html = True
                self.found[self.data.index(b"<", place.start)] = b"\\"
            case {"InlineHtml": _}:
                self.found[place.start] = b"\\"
            case {"InlineMath": _} if self._glued(place):
                self.found[place.start] = self.found[place.stop - 1] = b"\\"
            case {"Start": {"CodeBlock": _}} | {"Code": _}:
                self.code.append(place)
            case {"Start": {"Table": _}}:
                self.tables.append(place)
            case _:
                pass

    def _glued(self, place: range) -> bool:
        """Tells if a word goes on right after the closing dollar, or ends before the first."""
        after = self.data[place.stop : place.stop + 1]
        before = self.data[max(place.start - 1, 0) : place.start]
        return any(c.isalnum() or c in (b"_", b"{") for c in (after, before))

    def _part_bars(self) -> None:
        for bars in _BARS.finditer(self.data):
            at = bars.start()
            if _inside(at, self.code):
                continue
            # In a table two bars are an empty cell, and a backslash would join the cells.
            escape = b" " if _inside(at, self.tables) else b"\\"
            for offset in range(at + 1, bars.end()):
                self.found[offset] = escape


def _inside(at: int, places: Sequence[range]) -> bool:
    """Tells if an offset lies in one of these places, which are in order and apart."""
    before = bisect_right(places, at, key=lambda place: place.start)
    return before > 0 and at in places[before - 1]


def _places_in_bytes(source: str, places: Iterable[int]) -> Iterator[int]:
    """Yields the place of a letter, in bytes of UTF-8, for each place in the text; they ascend."""
    last = at = 0
    for place in places:
        at += len(source[last:place].encode())
        last = place
        yield at


def _inserted(data: bytes, insertions: dict[int, bytes]) -> bytes:
    parts: list[bytes] = []
    last = 0
    for offset in sorted(insertions):
        parts += data[last:offset], insertions[offset]
        last = offset
    return b"".join((*parts, data[last:]))
