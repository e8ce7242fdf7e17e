"""Labels of lines, as “Ann: I am late”: who says what stands behind one, or what it is about."""

import re
from bisect import bisect_left
from collections.abc import Container, Iterator, Mapping, Sequence, Set

from bot.domain.text.stems import Stem, stems

_MARK, _MOST = ":", 4
"""The character of a mark, and the stems of a label; what is longer begins a sentence."""

MARKS = frozenset(_MARK * count for count in range(1, _MOST + 1))
"""Stand behind the stems of a label, as long as these are many; no search finds them."""

MARKED = f" {_MARK}"
"""Begins each mark in a line of stems, and nothing else."""

_WIDE = "\uff1a"
"""The colon of Chinese and Japanese."""

# The time of a message may stand before it. Behind a list's mark it is the head of a point.
_LABEL = re.compile(
    r"^[ \t]*(?:\[[\d.,:/ \u202f-]{4,30}(?:[AP]M)?\][ \t]*)?"
    rf"([^\W\d_][^\n:{_WIDE}.!?;,*_`(){{}}<>=]{{0,39}})(?::(?=[ \t\n]|$)|{_WIDE})",
    re.MULTILINE,
)


def labelled_stems(text: str, stem: Stem, front: str = "") -> Iterator[str]:
    """Yields the stems of a text in their order, with a mark behind those of each label.

    `front` comes before each stem, and before no mark.
    """
    end = 0
    if ":" in text or _WIDE in text:
        for found in _LABEL.finditer(text):
            label = stems(found[1], stem)
            if 0 < len(label) <= _MOST:
                yield from (front + each for each in stems(text[end : found.start(1)], stem))
                yield from (front + each for each in label)
                yield _MARK * len(label)
                end = found.end()
    yield from (front + each for each in stems(text[end:], stem))


def under_labels(
    words: Sequence[str],
    places: Mapping[str, Sequence[int]],
    telling: Container[str],
    text_end: str,
) -> Set[str]:
    """Returns the stems that stand in a line whose label has another one that tells something.

    `places` are those of the stems of a search, and `text_end` ends the first of two texts.
    """
    found = set[str]()
    for stem, held in places.items():
        for place in held if stem in telling else ():
            mark = _mark_behind(words, place)
            if mark is None:
                continue
            end = _line_end(words, mark + 1, text_end)
            found |= {
                other
                for other, theirs in places.items()
                if other != stem and bisect_left(theirs, mark) < bisect_left(theirs, end)
            }
    return found


def in_labels(
    words: Sequence[str], places: Mapping[str, Sequence[int]], telling: Container[str]
) -> Set[str]:
    """Returns the stems of a search that tell something and stand in labels."""
    return {
        stem
        for stem, held in places.items()
        if stem in telling and any(_mark_behind(words, place) is not None for place in held)
    }


def _mark_behind(words: Sequence[str], place: int) -> int | None:
    """Returns the place of the mark of a label; None when this word stands in none."""
    for away, word in enumerate(words[place + 1 : place + 1 + _MOST], 1):
        if word in MARKS:
            return place + away if len(word) >= away else None
    return None


def _line_end(words: Sequence[str], start: int, text_end: str) -> int:
    """Returns the place of the next label, or of the end of the text."""
    for place in range(start, len(words)):
        if words[place] in MARKS:
            return place - len(words[place])
        if words[place] == text_end:
            return place
    return len(words)
