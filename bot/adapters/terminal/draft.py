"""A text that is still being written, in pieces that settle one after another."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from bot.adapters.terminal.renderer import Border
from bot.domain.value import frozen

_MOVING = ("⏳", "🔎")
"""The signs of lines that are still going to change."""

STEPS = (*_MOVING, "✓", "✗")
"""The signs that lines of tools begin with."""

CUT = "↻ That was cut off. I write it again:"
"""The line between the words of a broken reply and those of the next try."""

_APART = re.compile(r"\n\n")
_REMEMBERED = 8
"""The earlier texts whose words are still known."""

_FENCES = ("```", "~~~")


@frozen
class Words:
    """A part of a Markdown text, between two of its borders."""

    text: str
    start: int
    end: int
    follows: bool = False
    """True when a list or a block of code follows."""


@frozen
class Step:
    """A line about a tool."""

    line: str


DraftPart: TypeAlias = Words | Step
Borders: TypeAlias = Callable[[str], Sequence[Border]]


@frozen
class _Span:
    """Neighbouring lines of one kind."""

    start: int
    end: int
    steps: bool


class Draft:
    """Takes newer and newer states of a text and returns the pieces to print for good.

    A block of words waits until the next one begins, and a tool's line until the tool is done. A
    state that does not go on from the one before begins a new text.
    """

    def __init__(self, borders: Borders) -> None:
        self._borders = borders
        self._text = self._settled = ""
        self._base = 0
        self._printed = self._above = 0
        self._ended, self._interrupted = True, False
        self._earlier: deque[str] = deque(maxlen=_REMEMBERED)

    @property
    def speaks(self) -> bool:
        """Tells if words are being written, and no tool is running."""
        last = self._text.rpartition("\n")[2]
        return not self._ended and last != "" and not last.startswith(STEPS)

    @property
    def amid(self) -> bool:
        """Tells if words are being written of which the first are printed already."""
        return self.speaks and self._text[self._above : self._printed].strip() != ""

    @property
    def moves(self) -> bool:
        """Tells if a line below the words is still going to change."""
        return not self._ended and self._text.rpartition("\n")[2].startswith(_MOVING)

    def told(self, words: str) -> bool:
        """Tells if these words stood in this text, or in one of the texts before it."""
        return any(words.strip() in text for text in (self._text, *self._earlier))

    def grow(self, text: str) -> list[DraftPart]:
        """Takes a newer state; returns the pieces to print now."""
        # Answers come without white space at their ends.
        text = text.strip()
        if self._text == text or self._text.endswith(f"\n{text}"):
            return []
        ended: list[DraftPart] = []
        if not self._goes_on(text):
            cut = self.speaks and not text.startswith(STEPS)
            if cut and self._shown.startswith(text):
                return []  # a new try that is still shorter than the printed text
            ended = self._cut(text) if cut else self._other(self.end())
        self._text, self._ended, self._interrupted = text, False, False
        settled = self._settled = _settled(text, self._base)
        if not self.speaks:
            self._above = len(settled)
        # Words above a tool that runs have ended.
        return [*ended, *self._take(settled, whole=settled != text)]

    def _goes_on(self, text: str) -> bool:
        """Tells if a state goes on from the one before; lines of tools below it may have gone."""
        if text.startswith(self._settled):
            return True
        words = self._settled.rstrip()
        return bool(words) and (text == words or text.startswith(f"{words}\n"))

    @property
    def _shown(self) -> str:
        return self._text[: self._printed].strip()

    def _cut(self, text: str) -> list[DraftPart]:
        """Begins a new try of a text that was cut; one that begins alike goes on below it."""
        shown = self._shown
        if not shown:
            return self._other([])
        return [] if text.startswith(shown) else self._other([Step(CUT)])

    def _other(self, ended: list[DraftPart]) -> list[DraftPart]:
        """Begins another text below the pieces that end the one before."""
        self._earlier.append(self._text)
        self._base = self._printed = self._above = 0
        return ended

    def complete(self, text: str) -> list[DraftPart] | None:
        """Returns the rest of a whole answer, or None if the draft was not of this answer."""
        text, settled = text.strip(), self._settled
        if not settled or (self._ended and not self._interrupted):
            return None
        starts = [
            0,
            *(place for span in _spans(settled, 0) for place in _paragraphs(settled, span)),
        ]
        begun = next((n for n in starts if text.startswith(settled[n:].strip())), None)
        whole = self._below_steps(text) if begun is None else settled[:begun] + text
        if whole is None:
            return None
        self._text = self._settled = whole
        return self.end()

    def _below_steps(self, text: str) -> str | None:
        """Returns an answer below the tools that its first words stand above, without these words.

        A question ends so: the words, the tool that asks, and an answer with words and question.
        """
        match _spans(self._settled, 0):
            case [*_, _Span(steps=False) as words, _Span(steps=True)]:
                places = _paragraphs(self._settled, words)
            case _:
                return None
        told = (self._settled[place : words.end].strip() for place in places)
        above = next((one for one in told if one and text.startswith(f"{one}\n\n")), None)
        return (
            None if above is None else f"{self._settled.rstrip()}\n\n{text[len(above) :].strip()}"
        )

    def end(self) -> list[DraftPart]:
        """Returns what is not printed yet of the settled text; it can still go on later."""
        pieces = self._take(self._settled, whole=True)
        self._printed, self._ended = max(self._printed, len(self._settled)), True
        self._interrupted = False
        return pieces

    def interrupt(self) -> list[DraftPart]:
        """Ends a text for now, as a notice comes between it and its answer; returns as `end`."""
        goes_on = self._interrupted or not self._ended
        pieces = self.end()
        self._interrupted = goes_on
        return pieces

    def leave(self) -> None:
        """Notes that the next answer is another one, even with the same words."""
        self._interrupted = False

    def end_unlike(self) -> list[DraftPart]:
        """Ends a text whose answer is another one: of words that were cut nothing more is shown."""
        if not (self.speaks and self._shown):
            return self.end()
        self._printed, self._ended = max(self._printed, len(self._settled)), True
        return [Step(CUT)]

    def rest(self) -> list[DraftPart]:
        """Returns what is not printed yet, with everything that still moves."""
        if self._ended:
            return []
        return [piece for piece, _, _ in self._pieces(self._text, whole=True)]

    def _take(self, text: str, *, whole: bool) -> list[DraftPart]:
        taken: list[DraftPart] = []
        for piece, base, end in self._pieces(text, whole=whole):
            taken.append(piece)
            self._base, self._printed = base, end
        return taken

    def _pieces(self, text: str, *, whole: bool) -> Iterable[tuple[DraftPart, int, int]]:
        """Returns the pieces that are not printed, each with the places of its block and its end.

        Without `whole` the last block is left out, because it may go on.
        """
        spans = _spans(text, self._base)
        printed = self._printed
        for n, span in enumerate(spans):
            if span.end <= printed:
                continue
            if span.steps:
                yield from _steps(text, max(span.start, printed), span.end)
            else:
                last = n == len(spans) - 1 and not whole
                yield from self._words(text, span, max(span.start, printed), last=last)

    def _words(
        self, text: str, span: _Span, printed: int, *, last: bool
    ) -> Iterable[tuple[DraftPart, int, int]]:
        end = text.rfind("\n", span.start, span.end) + 1 if last else span.end
        words = text[span.start : end]
        if not words.strip() or end <= printed:
            return
        borders = self._borders(words)
        begin, until = printed - span.start, borders[-2 if last else -1].place
        if until <= begin:
            return
        opens = [border.place for border in borders if border.opens and border.place <= until]
        first = next((b for b in borders if b.place >= begin), borders[-1])
        follows = begin > 0 and not first.opens
        base = span.start + (opens[-1] if last else until)
        yield Words(words, begin, until, follows), base, span.start + until


def _steps(text: str, start: int, end: int) -> Iterable[tuple[DraftPart, int, int]]:
    for line in text[start:end].splitlines(keepends=True):
        start += len(line)
        if line.strip():
            yield Step(line.strip()), start, start


def _spans(text: str, start: int) -> list[_Span]:
    """Returns words and lines of tools by turns; a line within a block of code is one of words."""
    spans: list[_Span] = []
    fence = ""
    for line in text[start:].splitlines(keepends=True):
        steps = not fence and line.startswith(STEPS)
        mark = line.lstrip(" ")[:3]
        if mark in _FENCES and fence in ("", mark):
            fence = "" if fence else mark
        end = start + len(line)
        if spans and (spans[-1].steps is steps or not line.strip()):
            spans[-1] = _Span(spans[-1].start, end, spans[-1].steps)
        else:
            spans.append(_Span(start, end, steps))
        start = end
    return spans


def _paragraphs(text: str, span: _Span) -> Iterable[int]:
    """Returns the places at which words may begin that no tool stands above."""
    if not span.steps:
        yield span.start
        yield from (found.end() for found in _APART.finditer(text, span.start, span.end))


def _settled(text: str, start: int) -> str:
    """Returns the text up to the first line of tools behind `start` that still changes."""
    for span in _spans(text, start):
        at = span.start
        for line in text[span.start : span.end].splitlines(keepends=True):
            if span.steps and any(sign in line for sign in _MOVING):
                return text[:at]
            at += len(line)
    return text
