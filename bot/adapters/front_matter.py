"""Reads what stands before the words of a Markdown file: YAML between two lines of dashes."""

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, cast

import yaml

from bot.adapters.markdown_folder import Wrong

FENCE = "---"
UNREADABLE = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    ValueError,
)
"""Errors for a value that does not fit its tag, or for too large a number."""


class Parts(NamedTuple):
    """The YAML of a file, the words below it, and the line in which these begin."""

    head: str
    words: str
    line: int


def parted(text: str) -> Parts:
    """Parts a file; raises Wrong."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != FENCE:
        raise Wrong(1, "the file should begin with a line of three dashes")
    ends = [n for n, line in enumerate(lines[1:], start=1) if line.rstrip() == FENCE]
    if not ends:
        raise Wrong(len(lines), "the front matter has no end: a second line of three dashes")
    return Parts("\n".join(lines[1 : ends[0]]), "\n".join(lines[ends[0] + 1 :]), ends[0] + 2)


def keys_of(head: str, known: Collection[str]) -> Mapping[str, Any]:
    """Returns the keys with their values; raises Wrong, also for a key that is not known."""
    try:
        keys: object = yaml.safe_load(head)
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark
        line = mark.line + 2 if mark is not None else 1
        raise Wrong(line, f"this is no YAML: {fault.problem or 'unreadable'}") from None
    if not isinstance(keys, dict):
        raise Wrong(1, "the front matter should be keys with values")
    found = cast("dict[Any, Any]", keys)
    for key in found:
        if key not in known:
            raise Wrong(line_of(head, str(key)), f"the key {key!r} is none of {', '.join(known)}")
    return found


def line_of(head: str, key: str) -> int:
    """Returns the line of a key of the front matter; the first line when the key is absent."""
    lines = enumerate(head.splitlines(), start=2)
    return next((n for n, line in lines if key and line.startswith(key)), 1)


def unreadable(fault: Exception) -> str:
    """Returns words about one of the errors of UNREADABLE."""
    return f"this is no YAML: {str(fault).partition(chr(10))[0] or type(fault).__name__}"
