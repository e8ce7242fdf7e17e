r"""Finds formulas that are written between `\(…\)` or `\[…\]`, before Markdown reads the text.

For Markdown these signs are escaped brackets. So each formula is replaced by a token of two private
characters around its number, which the parser leaves alone.
"""

import re
from collections.abc import Iterator, Sequence

import pyromark
from telegramify_markdown.converter import STANDARD_OPTIONS

from bot.adapters.telegram.rich.elements import Element, Node
from bot.domain.value import frozen

_OPEN, _CLOSE = "\ue000", "\ue001"
_TOKEN = re.compile(f"{_OPEN}(\\d+){_CLOSE}")
# A formula ends before a blank line and before a line of a quote. The bound keeps a text full of
# openings cheap.
_INSIDE = rb"(?:(?!\n[ \t]*[\n>]).){1,1000}?"
_FORMULA = re.compile(
    rb"(?<!\\)(?:\\\((?P<words>" + _INSIDE + rb")\\\)|\\\[(?P<block>" + _INSIDE + rb")\\\])",
    re.DOTALL,
)
_MATHEMATICS = re.compile(r"[\\^_={}<>≤≥≠≈∈∑∫√]")
_PROSE = re.compile(r"[^\W\d_]{3}|\s[^\W\d_]{2}\s|^[\d.,]+\s")


@frozen
class Formulas:
    """A text whose formulas are tokens, and the formulas: as written, and without their signs."""

    text: str
    written: Sequence[str] = ()
    sources: Sequence[tuple[str, bool]] = ()
    """The source of each formula; True for one that stands in a line of its own."""

    def restored(self, text: str) -> str:
        """Returns the text with every formula as it was written."""
        return _TOKEN.sub(lambda found: self.written[int(found[1])], text) if self.written else text

    def parted(self, text: str) -> Iterator[Node]:
        """Yields the text with every token as the formula it stands for."""
        if not self.written:
            yield text
            return
        last = 0
        for found in _TOKEN.finditer(text):
            if found.start() > last:
                yield text[last : found.start()]
            source, own_line = self.sources[int(found[1])]
            yield formula(source, own_line=own_line)
            last = found.end()
        if last < len(text):
            yield text[last:]


def formula(source: str, *, own_line: bool) -> Element:
    """Returns a formula within a line, or one that stands in a line of its own."""
    return Element("tg-math-block" if own_line else "tg-math", (source.strip(),))


def is_formula(source: str) -> bool:
    """Returns True for what people write as mathematics between two dollars, and not for prices."""
    if not source.strip():
        return False
    return _MATHEMATICS.search(source) is not None or _PROSE.search(source) is None


def marked(text: str) -> Formulas:
    """Returns the text with a token for each formula outside code."""
    if "\\(" not in text and "\\[" not in text:
        return Formulas(text)
    if _OPEN in text or _CLOSE in text:
        return Formulas(text)
    data = text.encode()
    code = _code_in(text)
    parts: list[bytes] = []
    written: list[str] = []
    sources: list[tuple[str, bool]] = []
    last = 0
    for found in _FORMULA.finditer(data):
        source = (found["words"] or found["block"]).decode()
        inside = any(found.start() < c.stop and found.end() > c.start for c in code)
        if inside or not source.strip():
            continue
        parts += data[last : found.start()], f"{_OPEN}{len(written)}{_CLOSE}".encode()
        written.append(found[0].decode())
        sources.append((source, found["block"] is not None))
        last = found.end()
    return Formulas(b"".join((*parts, data[last:])).decode(), written, sources)


def _code_in(text: str) -> list[range]:
    """Returns the places of code, in bytes."""
    places: list[range] = []
    for payload, place in pyromark.events_with_range(text, options=STANDARD_OPTIONS):
        match payload:
            case {"Start": {"CodeBlock": _}} | {"Code": _}:
                places.append(range(place["start"], place["end"]))
            case _:
                pass
    return places
