"""Puts in place of words that differ from run to run others that stay the same."""

import re
from pathlib import Path

_DATE = (re.compile(r"\b\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?( UTC)?"), "2026-11-23 09:41")
_CHANGING = (
    (re.compile(r"(?<=· )\d+(?:\.\d+)? s\b"), "4 s"),
    (re.compile(r"(?<=/start )\S+"), ""),
    (re.compile(r"(?<=\?start=)[\w-]+"), "…"),
)
"""Seconds a turn took, and codes of a pairing link."""


def steady(words: str, folder: Path, *, dated: bool = False) -> str:
    """Returns the words as any run on any machine has them; `folder` is shown as ~/steward.

    Dates stay where the play sets the clock: there they are `dated`.
    """
    words = words.replace(str(folder), "~/steward")
    for pattern, shown in (*_CHANGING, *(() if dated else (_DATE,))):
        words = pattern.sub(shown, words)
    return words
