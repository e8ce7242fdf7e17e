"""Addresses in a Markdown text: the marks in them are letters of theirs, and no formatting.

`https://example.org/__init__.py` would lose its underscores, and lead elsewhere.
"""

import re
from collections.abc import Iterator
from functools import cache

# The signs of sentences and brackets as Chinese and Japanese write them.
_FULL_WIDTH = "\u2026\u3001\u3002\u300a-\u300f\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"
_ENTITY = r"&#?\w{1,30};"
_LETTER = rf"(?!{_ENTITY})[^\s<>()\[\]`\"\\|*_~{_FULL_WIDTH}]"
_MORE = r"(?=[.,:;!?'*_~]{0,8}[A-Za-z0-9/%#?&=+-])"


def _pattern(mark: str) -> str:
    """Returns the pattern of an address with marks such as these; it never tries one way again."""
    part = rf"(?:{_LETTER}|(?:{mark})++{_MORE})"
    return rf"https?://(?:{part}|\({part}*+\))++"


ADDRESS = _pattern("[*_~]")
"""An address in words. Marks belong to it only if more of it follows."""

_START = re.compile("https?://", re.IGNORECASE)
_MARK = re.compile(r"[*_~]")
_MARKS_BEFORE = re.compile(r"[*_~]{1,3}\Z")
_SCHEME = re.compile(r"(?<![a-z0-9])https?\Z", re.IGNORECASE)
_LONGEST_SCHEME = 6


def marks_in_addresses(source: str) -> Iterator[int]:
    """Yields the places of marks within addresses; one between angle brackets needs no help."""
    end = 0
    while start := _START.search(source, end):
        end = _end_of_address(source, start.start(), len(source)) or start.end()
        if not source.startswith("<", start.start() - 1):
            for mark in _MARK.finditer(source, start.end(), end):
                yield mark.start()


def end_of_address(source: str, colon: int, end: int) -> int | None:
    """Returns the end of the address whose scheme ends at this colon; None if there is none."""
    if not source.startswith("://", colon):
        return None
    scheme = _SCHEME.search(source, max(0, colon - _LONGEST_SCHEME), colon)
    return _end_of_address(source, scheme.start(), end) if scheme else None


def _end_of_address(source: str, start: int, end: int) -> int | None:
    """Returns the end of an address, at the marks that close those which stand right before it."""
    opened = _MARKS_BEFORE.search(source, max(0, start - 3), start)
    address = _address(opened[0] if opened else "").match(source, start, end)
    return address.end() if address else None


@cache
def _address(opened: str) -> re.Pattern[str]:
    """Returns the pattern of an address behind these marks."""
    # Underscores within a word close nothing.
    closing = re.escape(opened) + (r"(?!\w)" if "_" in opened else "")
    return re.compile(_pattern(rf"(?!{closing})[*_~]" if opened else "[*_~]"), re.IGNORECASE)
