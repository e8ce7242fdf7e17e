"""Differences between two texts, in bounded time, as a card shows them."""

from difflib import SequenceMatcher

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
    body = [*_unchanged(above), *_compared(gone, come), *_unchanged(below)]
    first, around = number - len(above), len(above) + len(below)
    sign = f"@@ -{first},{len(gone) + around} +{first},{len(come) + around} @@"
    return "\n".join([sign, *body])


def _compared(gone: list[str], come: list[str]) -> list[str]:
    """Returns the lines of both, each with its sign; many lines are shown as wholly replaced."""
    if len(gone) + len(come) > _FEW_LINES:
        return [*(f"-{line}" for line in gone), *(f"+{line}" for line in come)]
    lines: list[str] = []
    for tag, i, j, k, m in SequenceMatcher(None, gone, come, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += _unchanged(gone[i:j])
            continue
        lines += [f"-{line}" for line in gone[i:j]]
        lines += [f"+{line}" for line in come[k:m]]
    return lines


def _unchanged(lines: list[str]) -> list[str]:
    return [f" {line}" for line in lines]
