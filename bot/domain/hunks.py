"""Puts the places of a diff into words, for people who do not know its signs."""

import re
from collections.abc import Iterable, Sequence

from bot.domain.message import Block, CodeBlock

LANGUAGE = "diff"
"""The language of a code block that shows a difference."""

_HEAD = re.compile(r"@@ -(?P<first>\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*")


def readable(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Returns the blocks as a card shows them: a diff names the lines of its changes in words."""
    return tuple(
        CodeBlock(in_words(block.text), block.language, folds=block.folds)
        if isinstance(block, CodeBlock) and block.language == LANGUAGE
        else block
        for block in blocks
    )


def in_words(diff: str) -> str:
    """Returns a unified diff with “line 12” in place of each `@@` line.

    A place at the very beginning of a file has no such line, since nothing stands above it. The
    text gets no longer.
    """
    lines = diff.split("\n")
    told: list[str] = []
    for at, line in enumerate(lines):
        head = _HEAD.fullmatch(line)
        if head is None:
            told.append(line)
        elif (first := int(head["first"])) > 1:
            told.append(f"— line {first + _unchanged(lines[at + 1 :])} —")
    return "\n".join(told)


def _unchanged(lines: Sequence[str]) -> int:
    """Counts the lines above the first change."""
    return next((at for at, line in enumerate(lines) if not line.startswith(" ")), 0)
