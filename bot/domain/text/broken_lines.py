"""Lines that break between words where a terminal is narrow."""

from textwrap import fill

_NARROWEST = 20
"""Columns of a terminal that tells none, or very few."""


def broken(line: str, columns: int, indent: int = 0) -> str:
    """Breaks a line between words, so that paths, links and options stay whole."""
    if len(line) <= columns:
        return line
    return fill(
        line,
        max(columns, _NARROWEST),
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
