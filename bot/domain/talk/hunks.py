"""Puts the places of a diff into words, for people who do not know its signs."""

import re
from collections.abc import Iterable

from bot.domain.talk.message import Block, CodeBlock

LANGUAGE = "diff"
"""The language of a code block that shows a difference."""

_HEAD = re.compile(r"@@ -(?P<first>\d+)(?:,\d+)? \+\d+(?:,\d+)? @@.*")


def readable(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Returns the blocks as a card shows them: a diff names its places in words."""
    return tuple(
        CodeBlock(in_words(block.text), block.language, folds=block.folds)
        if isinstance(block, CodeBlock) and block.language == LANGUAGE
        else block
        for block in blocks
    )


def in_words(diff: str) -> str:
    """Returns a unified diff with “from line 12” in place of each `@@` line.

    A place at the very beginning of a file has no such line, since nothing stands above it. The
    text gets no longer.
    """
    told: list[str] = []
    for line in diff.split("\n"):
        head = _HEAD.fullmatch(line)
        if head is None:
            told.append(line)
        elif (first := int(head["first"])) > 1:
            told.append(f"— from line {first} —")
    return "\n".join(told)
