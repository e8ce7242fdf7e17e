"""Folds long answers: the message has the opening, a file has the whole."""

import re
from dataclasses import replace

from bot.domain.message import FileRef, Markdown, Outbound

LONG_ANSWER = 12_000
"""Characters above which an answer is long, unless a setting says otherwise."""

FILE_NAME = "answer.md"
_LONGEST = 700
"""Characters of an opening; a phone shows them without scrolling."""

_BLANK = re.compile(r"\n[ \t]*\n")
_SET_APART = re.compile(r"[ \t]*(```|~~~|\|)")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？]")  # noqa: RUF001 - the ends of sentences in Chinese


def folded(content: Outbound) -> Outbound:
    """Returns the content with only its opening as text, and the whole text as its first file."""
    text = "\n\n".join(block.text for block in content.blocks)
    told = f"📄 The whole answer is in {FILE_NAME}: {len(text):,} characters."
    blocks = (Markdown("\n\n".join(part for part in (opening(text), told) if part)),)
    file = FileRef("", FILE_NAME, text=text)
    return replace(content, blocks=blocks, files=(file, *content.files), folded=False)


def opening(text: str, longest: int = _LONGEST) -> str:
    """Returns the first whole paragraphs of a Markdown text; a long one is cut after a sentence.

    The opening ends before code and tables, so it may be empty.
    """
    taken: list[str] = []
    room = longest
    for paragraph in _BLANK.split(text.strip()):
        if _SET_APART.match(paragraph):
            break
        if len(paragraph) > room:
            # A heading alone would say too little.
            if sum(map(len, taken)) < longest // 4:
                taken.append(_cut(paragraph, room))
            break
        taken.append(paragraph.rstrip())
        room -= len(paragraph) + 2
    return "\n\n".join(taken)


def _cut(paragraph: str, longest: int) -> str:
    head = paragraph[: longest + 1]
    end = max((found.end() for found in _SENTENCE_END.finditer(head)), default=0)
    if end:
        return head[:end]
    # Not even one sentence: whole words, as far as they go.
    return f"{head[:longest].rpartition(' ')[0].rstrip() or head[: longest - 1]}…"
