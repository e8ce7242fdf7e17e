"""Fits the thing that a card asks about into one message, and the rest of it into a document."""

from bot.domain.talk.hunks import LANGUAGE, in_words, readable
from bot.domain.talk.message import Block, CodeBlock, FileRef, Plain
from bot.domain.text.visible_text import clipped
from bot.domain.tools.tool import Preview

LONGEST = 3_500
"""Characters a card shows in its message; Telegram allows 4,096 with everything around them."""

LONGEST_ASIDE = 1_000
"""Characters of the place and of the reason to ask; longer ones are whole in the document."""

_BEGINNING = 3_000
_BEGINNING_UNFOLDED = 600


def whole(preview: Preview) -> tuple[tuple[Block, ...], tuple[FileRef, ...]]:
    """Returns the blocks of a card, and a document for the part that is too long for a message.

    The document is the thing alone, unless the place or the reason to ask is too long as well.
    """
    blocks, asides = preview.blocks, (preview.why, preview.where)
    short = all(len(text) <= LONGEST_ASIDE for text in asides)
    if short and sum(len(text) for text in (*(b.text for b in blocks), *asides)) <= LONGEST:
        return readable(blocks), ()
    told = [*(block.text for block in blocks), *(() if short else asides)]
    text = "\n\n".join(part for part in told if part)
    name = preview.document if preview.document and short else "card.txt"
    folds = any(isinstance(block, CodeBlock) and block.folds for block in blocks)
    room = _BEGINNING - sum(min(len(aside), LONGEST_ASIDE) for aside in asides)
    begun = beginning(text, room if folds else _BEGINNING_UNFOLDED)
    lines, of = begun.count("\n") + 1, text.count("\n") + 1
    note = f"This is the beginning. The whole of it ({of} lines) is in the document {name}."
    if lines == of:
        note = f"This is the beginning. The whole of it is in the document {name}."
    language = next((b.language for b in blocks if isinstance(b, CodeBlock)), "")
    told = in_words(begun) if language == LANGUAGE else begun
    return (CodeBlock(told, language, folds=folds), Plain(note)), (FileRef("", name, text=text),)


def beginning(text: str, longest: int) -> str:
    """Returns the first whole lines of a text that fit, or the start of a first line too long."""
    if len(text) <= longest:
        return text
    at = text.rfind("\n", 0, longest + 1)
    return text[:at] if at > 0 else clipped(text, longest)
