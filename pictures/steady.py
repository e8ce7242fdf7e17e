"""Puts in place of words that differ from run to run others that stay the same."""

import re
from pathlib import Path

_CHANGING = (
    (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?"), "2026-11-23 09:41"),
    (re.compile(r"(?<=· )\d+(?:\.\d+)? s\b"), "4 s"),
    (re.compile(r"(?<=/start )\S+"), ""),
    (re.compile(r"(?<=\?start=)[\w-]+"), "…"),
)
"""Times, seconds a turn took, and codes of a pairing link."""


def steady(words: str, folder: Path) -> str:
    """Returns the words as any run on any machine has them; `folder` is shown as ~/steward."""
    words = words.replace(str(folder), "~/steward")
    for pattern, shown in _CHANGING:
        words = pattern.sub(shown, words)
    return words
