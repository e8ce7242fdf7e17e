"""Folds long answers: the message has the opening, a file has the whole."""

import re
from dataclasses import replace

from bot.domain.talk.message import Block, FileRef, Markdown, Outbound, Plain

FILE_NAME, PLAIN_FILE_NAME = "answer.md", "answer.txt"
_LONGEST = 700
"""Characters of an opening; a phone shows them without scrolling."""

_BLANK = re.compile(r"\n[ \t]*\n")
_SET_APART = re.compile(r"[ \t]*(```|~~~|\|)")
_HEADING = re.compile(r" {0,3}#{1,6}[ \t].*|[ \t]*(\*\*|__)[^*_]+\1:?[ \t]*")
"""A line that is a heading, or bold as a whole as many models write headings."""

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)|[。！？]")  # the ends of sentences in Chinese


def folded(content: Outbound) -> Outbound:
    """Returns the content with only its opening as text, and the whole text as its first file.

    Words said before the answer, and small lines below it, stay in the message.
    """
    whole = [block for block in content.blocks if _is_answer(block)]
    text = "\n\n".join(block.text for block in whole)
    words = Markdown.joined([block for block in whole if isinstance(block, Markdown)])
    # A reader of Markdown takes nothing in a plain text for a link whose words hide its target.
    plain = words.links is not None and ("]" in text or "<" in text)
    name = PLAIN_FILE_NAME if plain else FILE_NAME
    told = f"📄 The whole answer is in {name}: {len(text):,} characters."
    short = replace(words, text="\n\n".join(part for part in (opening(text), told) if part))
    at = content.blocks.index(whole[0]) if whole else len(content.blocks)
    others = [block for block in content.blocks if not _is_answer(block)]
    blocks = (*others[:at], short, *others[at:])
    file = FileRef("", name, text=text)
    return replace(content, blocks=blocks, files=(file, *content.files), folded=False)


def _is_answer(block: Block) -> bool:
    """Returns True but for words that were said before the answer, and for small lines."""
    if isinstance(block, Markdown):
        return not block.said
    return not isinstance(block, Plain) or block.style != "aside"


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
    else:
        return "\n\n".join(taken)
    return _without_last_heading("\n\n".join(taken))


def _without_last_heading(text: str) -> str:
    """Leaves headings at the end out: what they announce is not there."""
    lines = text.split("\n")
    while lines and (not lines[-1].strip() or _HEADING.fullmatch(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def _cut(paragraph: str, longest: int) -> str:
    head = paragraph[: longest + 1]
    end = max((found.end() for found in _SENTENCE_END.finditer(head)), default=0)
    if end:
        return head[:end]
    # Not even one sentence: whole words, as far as they go.
    return f"{head[:longest].rpartition(' ')[0].rstrip() or head[: longest - 1]}…"
