"""Holds text with formatting, counted in code points; the platform alone gets UTF-16."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from itertools import accumulate, pairwise
from typing import Any

from bot.domain.value import frozen


@frozen
class Span:
    """A formatted stretch, `start` inclusive to `end` exclusive, in code points."""

    kind: str
    start: int
    end: int
    url: str | None = None
    language: str | None = None

    def moved(self, by: int) -> "Span":
        return Span(self.kind, self.start + by, self.end + by, self.url, self.language)

    def within(self, start: int, end: int) -> "Span":
        """Returns the part of this span inside a stretch, counted from the stretch's start."""
        first, last = max(self.start, start) - start, min(self.end, end) - start
        return Span(self.kind, first, last, self.url, self.language)


@frozen
class RichText:
    """A text and its spans, in the order of their starts, outer before inner."""

    text: str
    spans: tuple[Span, ...] = ()

    def part(self, start: int, end: int) -> "RichText":
        if start == 0 and end == len(self.text):
            return self
        spans = (s.within(start, end) for s in self.spans if s.start < end and s.end > start)
        return RichText(self.text[start:end], tuple(spans))

    def __add__(self, other: "RichText") -> "RichText":
        if not self.text:
            return other
        moved = tuple(s.moved(len(self.text)) for s in other.spans)
        return RichText(self.text + other.text, self.spans + moved)

    def trimmed(self) -> "RichText":
        """Returns it without blank lines around it; code keeps its own blanks."""
        first = min((s.start for s in self.spans), default=len(self.text))
        last = max((s.end for s in self.spans), default=0)
        start = min(len(self.text) - len(self.text.lstrip("\n ")), first)
        end = max(len(self.text.rstrip("\n ")), last, start)
        return self if end - start == len(self.text) else self.part(start, end)

    def with_inserted(self, insertions: Mapping[int, str]) -> "RichText":
        """Returns it with unformatted text inserted; spans that end at a place do not cover it."""
        places = sorted(insertions)
        grown = [0, *accumulate(len(insertions[place]) for place in places)]
        spans = (
            Span(
                s.kind,
                s.start + grown[bisect_right(places, s.start)],
                s.end + grown[bisect_left(places, s.end)],
                s.url,
                s.language,
            )
            for s in self.spans
        )
        borders = (0, *places)
        parts = (self.text[a:b] + insertions[b] for a, b in pairwise(borders))
        return RichText("".join((*parts, self.text[borders[-1] :])), tuple(spans))

    def entities(self) -> list[dict[str, Any]]:
        """Returns the spans as the platform's entities, whose offsets are UTF-16 code units."""
        offsets = utf16_offsets(self.text)
        return [_entity(span, offsets[span.start], offsets[span.end]) for span in self.spans]


def utf16_offsets(text: str) -> list[int] | range:
    """Returns the UTF-16 offset of every code point and of the end."""
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    return list(accumulate((2 if c > "\uffff" else 1 for c in text), initial=0))


def in_order(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(sorted(spans, key=lambda s: (s.start, -s.end)))


def _entity(span: Span, start: int, end: int) -> dict[str, Any]:
    entity: dict[str, Any] = {"type": span.kind, "offset": start, "length": end - start}
    if span.url is not None:
        entity["url"] = span.url
    if span.language:
        entity["language"] = span.language
    return entity
