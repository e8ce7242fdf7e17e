"""Cuts formatted text into messages, at the borders a reader would choose."""

from bisect import bisect_left
from collections.abc import Sequence

from bot.adapters.telegram.rich_text import RichText, Span

LONGEST = 4096
MOST_SPANS = 100
_HEADING = frozenset({"bold", "underline", "italic"})


def cut(rich: RichText, longest: int = LONGEST) -> list[RichText]:
    """Returns parts of at most `longest` code points and 100 spans, in order.

    Only blanks between two parts are left out; within code only one line break. A heading goes
    with the text after it.
    """
    parts: list[RichText] = []
    headings = _headings(rich)
    start, spans = 0, _SpansInOrder(rich.spans)
    while start < len(rich.text):
        reach, near = _reach(rich.text, start, longest, spans)
        end, after = _border(rich.text, start, reach, near, headings)
        part = RichText(rich.text, near).part(start, end)
        if has_ink(part.text):
            parts.append(RichText(part.text, part.spans[:MOST_SPANS]))
        start = after
    return parts


class _SpansInOrder:
    """The spans of a text, which is read from its beginning to its end: none is looked at twice.

    But those that are still open where a part begins.
    """

    def __init__(self, spans: tuple[Span, ...]) -> None:
        self._spans = spans
        self._next = 0
        self._open: list[Span] = []

    def near(self, start: int, reach: int) -> tuple[Span, ...]:
        """Returns those that end behind `start` and begin at `reach` or before it.

        Of those that begin behind the first 100 and one, none is needed, and none is returned.
        """
        self._open = [span for span in self._open if span.end > start]
        while self._next < len(self._spans):
            span = self._spans[self._next]
            full = len(self._open) > MOST_SPANS and span.start > self._open[-1].start
            if span.start > reach or full:
                break
            if span.end > start:
                self._open.append(span)
            self._next += 1
        return tuple(self._open)


def has_ink(text: str) -> bool:
    """Tells if a person would see any of it."""
    return any(c.isprintable() and not c.isspace() for c in text)


def _reach(
    text: str, start: int, longest: int, spans: _SpansInOrder
) -> tuple[int, tuple[Span, ...]]:
    """Returns the furthest end of a part from `start`, and the spans up to there."""
    reach = min(start + longest, len(text))
    near = spans.near(start, reach)
    touched = [span.start for span in near if span.start < reach]
    if len(touched) > MOST_SPANS and touched[MOST_SPANS] > start:
        reach = touched[MOST_SPANS]
    return reach, near


def _headings(rich: RichText) -> list[range]:
    """Returns the stretches of lines that are set apart as a whole, in order."""
    text, found = rich.text, dict[int, range]()
    for span in rich.spans:
        begins = span.start == 0 or text[span.start - 1] == "\n"
        ends = span.end == len(text) or text[span.end] == "\n"
        one_line = "\n" not in text[span.start : span.end].strip("\n")
        if span.kind in _HEADING and begins and ends and one_line:
            found[span.start] = range(span.start, span.end)
    return [found[start] for start in sorted(found)]


def _border(
    text: str, start: int, reach: int, near: Sequence[Span], headings: Sequence[range]
) -> tuple[int, int]:
    """Returns the end of a part from `start`, and the start of the next one."""
    if reach == len(text):
        return reach, reach
    # A border further back would leave a part too small to be worth a message.
    back = start + max((reach - start) // 4, 1)
    code = [s for s in near if s.kind == "pre" and s.start <= reach]
    edges = [p for s in code for p in (s.start, s.end) if back <= p <= reach]
    at = max([*edges, _paragraph(text, back, reach, code)])
    if at < 0:
        at = text.rfind("\n", back, reach + 1)
    if at < 0:
        at = text.rfind(" ", back, reach)
    hard = at < 0
    at = _before_headings(text, start, reach if hard else at, headings)
    if at < 0 or (hard and at == reach):
        return reach, reach
    return _around(text, at, code)


def _before_headings(text: str, start: int, at: int, headings: Sequence[range]) -> int:
    """Returns the border moved back before headings that would stand last; -1 if none is left."""
    for n in range(bisect_left(headings, at, key=lambda h: h.start) - 1, -1, -1):
        heading = headings[n]
        if has_ink(text[heading.stop : at]):
            return at
        if not has_ink(text[start : heading.start]):
            return -1
        at = start + len(text[start : heading.start].rstrip("\n"))
    return at


def _paragraph(text: str, back: int, reach: int, code: list[Span]) -> int:
    """Returns the last blank line outside code; -1 if there is none."""
    at = text.rfind("\n\n", back, reach + 2)
    while at >= 0 and _inside(at, code):
        at = text.rfind("\n\n", back, at + 1)
    return at


def _around(text: str, at: int, code: list[Span]) -> tuple[int, int]:
    """Leaves the blanks of a border out; inside code only the one line break."""
    if _inside(at, code):
        return (at, at + 1) if text[at] == "\n" else (at + 1, at + 1)
    after = at
    next_code = min((s.start for s in code if s.start >= at), default=len(text))
    while after < next_code and text[after] == "\n":
        after += 1
    if after == at and after < next_code and text[after] == " ":
        after += 1
    return at, after


def _inside(at: int, code: list[Span]) -> bool:
    return any(s.start < at < s.end for s in code)
