"""Pieces of text with their styles: the form of everything between a content and the screen."""

from collections.abc import Iterable
from typing import TypeAlias

Fragments: TypeAlias = list[tuple[str, str]]
"""Pieces of text, each with its style: words such as `bold` and `red`, or none.

A word `link:…` holds an address that a press on the text opens.
"""

Lines: TypeAlias = list[Fragments]
"""Fragments by line, without the ends of the lines."""

COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
LINK = "link:"


def plain(fragments: Fragments) -> str:
    return "".join(text for _, text in fragments)


def joined(lines: Iterable[Fragments]) -> Fragments:
    """Returns lines as fragments, each line with its end."""
    return [fragment for line in lines for fragment in (*line, ("", "\n"))]


def styled(fragments: Fragments, style: str) -> Fragments:
    """Returns the fragments with a style before the style that each has."""
    both = (dict.fromkeys(f"{style} {known}".split()) for known, _ in fragments)
    return [(" ".join(words), text) for words, (_, text) in zip(both, fragments, strict=True)]
