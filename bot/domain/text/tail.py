"""The end of a Markdown text, so that it reads as it does in the whole."""

import re
from collections.abc import Callable, Iterator

_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_LONGEST_OPENING = 40


def tail_of(text: str, longest: int, size: Callable[[str], int] = len) -> str:
    """Returns the end of a text in at most `longest` of its `size`, from the start of a line.

    If it begins inside a block of code, the fence of that block is opened above it.
    """
    if size(text) <= longest:
        return text
    lines = text.split("\n")
    fences = list(_fences(lines))
    room = longest - max(size(opening) + bool(opening) for opening in fences)
    first = len(lines)
    while first and (taken := size(lines[first - 1]) + 1) <= room:
        first, room = first - 1, room - taken
    end = lines[first:]
    if first and room > longest // 2:
        # A line that is long by itself is cut.
        first -= 1
        end = [_end_of(lines[first], room - bool(end), size), *end]
    return "\n".join([fences[first], *end] if fences[first] else end)


def _end_of(line: str, room: int, size: Callable[[str], int]) -> str:
    line = line[-room:]
    while (over := size(line) - room) > 0:
        line = line[max(over // 2, 1) :]
    return line


def _fences(lines: list[str]) -> Iterator[str]:
    """Yields for each line the line that opened the code which it stands in, else nothing."""
    opening = marks = ""
    for line in lines:
        found = _FENCE.match(line)
        yield opening
        if found is None:
            continue
        if not opening:
            opening, marks = line[:_LONGEST_OPENING], found["marks"]
        elif found["marks"].startswith(marks) and not found["info"].strip():
            opening = ""
