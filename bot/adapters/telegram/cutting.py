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
    start = 0
    while start < len(rich.text):
        reach = _reach(rich, start, longest)
        end, after = _border(rich, start, reach, headings)
        part = rich.part(start, end)
        if has_ink(part.text):
            parts.append(RichText(part.text, part.spans[:MOST_SPANS]))
        start = after
    return parts


def has_ink(text: str) -> bool:
    """Tells if a person would see any of it."""
    return any(c.isprintable() and not c.isspace() for c in text)


def _reach(rich: RichText, start: int, longest: int) -> int:
    """Returns the furthest end of a part from `start`."""
    reach = min(start + longest, len(rich.text))
    touched = [s.start for s in rich.spans if s.end > start and s.start < reach]
    if len(touched) > MOST_SPANS and touched[MOST_SPANS] > start:
        reach = min(reach, touched[MOST_SPANS])
    return reach


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


def _border(rich: RichText, start: int, reach: int, headings: Sequence[range]) -> tuple[int, int]:
    """Returns the end of a part from `start`, and the start of the next one."""
    text = rich.text
    if reach == len(text):
        return reach, reach
    # A border further back would leave a part too small to be worth a message.
    back = start + max((reach - start) // 4, 1)
    code = [s for s in rich.spans if s.kind == "pre" and s.end > start and s.start <= reach]
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
    for heading in reversed(headings[: bisect_left(headings, at, key=lambda h: h.start)]):
        if has_ink(text[heading.stop : at]):
            return at
        if not has_ink(text[start : heading.start]):
            return -1
        at = len(text[: heading.start].rstrip("\n"))
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
