"""Differences between two texts, in bounded time, as a card shows them."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from itertools import takewhile

_CONTEXT = 2
_FEW_LINES = 200
"""Changed lines up to which equal ones among them are looked for: that takes their square."""


def passage_difference(text: str, at: int, old: str, new: str) -> str:
    """Returns a unified diff of one passage that is replaced, with two lines around it.

    Only the lines of the passage are compared, since all others are known to be equal.
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at + len(old))
    end = len(text) if end < 0 else end
    head, tail = text[start:at], text[at + len(old) : end]
    before = text[:start].split("\n")[:-1]
    number, above = len(before) + 1, before[-_CONTEXT:]
    below = text[end + 1 :].split("\n", _CONTEXT)[:_CONTEXT] if end < len(text) else []
    gone, come = (head + old + tail).split("\n"), (head + new + tail).split("\n")
    if text.endswith("\n"):
        # Nothing stands behind the last line end: no line that a person could see.
        if below and end + 1 + len("\n".join(below)) == len(text):
            below.pop()
        elif not below and gone[-1] == come[-1]:
            gone, come = gone[:-1], come[:-1]
    # An empty line at the edge says nothing about the place.
    while above and not above[0].strip():
        del above[0]
    while below and not below[-1].strip():
        below.pop()
    body = [*_unchanged(above), *_compared(gone, come), *_unchanged(below)]
    first, around = number - len(above), len(above) + len(below)
    sign = f"@@ -{first},{len(gone) + around} +{first},{len(come) + around} @@"
    return "\n".join([sign, *body])


def file_difference(old: str, new: str) -> str:
    """Returns a unified diff of two texts with two lines around each change; they differ.

    Equal lines at both ends are left out first. Where many lines are left, they are shown as wholly
    replaced, since comparing them takes their square.
    """
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    gone, come = old.split("\n"), new.split("\n")
    head = _alike(zip(gone, come, strict=False))
    most = min(len(gone), len(come)) - head
    tail = min(_alike(zip(reversed(gone), reversed(come), strict=False)), most)
    if len(gone) + len(come) - 2 * (head + tail) > _FEW_LINES:
        above, below = gone[:head][-_CONTEXT:], gone[len(gone) - tail :][:_CONTEXT]
        middle = (gone[head : len(gone) - tail], come[head : len(come) - tail])
        return "\n".join(
            [
                _place(head - len(above), middle, len(above) + len(below)),
                *_unchanged(above),
                *(f"-{line}" for line in middle[0]),
                *(f"+{line}" for line in middle[1]),
                *_unchanged(below),
            ]
        )
    start = max(head - _CONTEXT, 0)
    near = max(tail - _CONTEXT, 0)
    before, after = gone[start : len(gone) - near], come[start : len(come) - near]
    lines: list[str] = []
    for group in SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(_CONTEXT):
        first, last = group[0], group[-1]
        olds, news = before[first[1] : last[2]], after[first[3] : last[4]]
        sign = f"-{start + first[1] + 1},{len(olds)} +{start + first[3] + 1},{len(news)}"
        lines += [f"@@ {sign} @@", *_signed(group, before, after)]
    return "\n".join(lines)


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    """Counts the pairs at the beginning whose lines are equal."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _place(start: int, middle: tuple[list[str], list[str]], around: int) -> str:
    gone, come = (len(lines) + around for lines in middle)
    return f"@@ -{start + 1},{gone} +{start + 1},{come} @@"


def _compared(gone: list[str], come: list[str]) -> list[str]:
    """Returns the lines of both, each with its sign; many lines are shown as wholly replaced."""
    if len(gone) + len(come) > _FEW_LINES:
        return [*(f"-{line}" for line in gone), *(f"+{line}" for line in come)]
    return _signed(SequenceMatcher(None, gone, come, autojunk=False).get_opcodes(), gone, come)


def _signed(
    changes: Iterable[tuple[str, int, int, int, int]], gone: list[str], come: list[str]
) -> list[str]:
    lines: list[str] = []
    for tag, i, j, k, m in changes:
        if tag == "equal":
            lines += _unchanged(gone[i:j])
            continue
        lines += [f"-{line}" for line in gone[i:j]]
        lines += [f"+{line}" for line in come[k:m]]
    return lines


def _unchanged(lines: list[str]) -> list[str]:
    return [f" {line}" for line in lines]
