"""Turns a content into the messages it becomes; each is plain data, to be stored as it is."""

import re
from typing import Any, assert_never

from bot.adapters.telegram.cutting import cut, has_ink
from bot.adapters.telegram.fields import clean
from bot.adapters.telegram.markdown import formatted
from bot.adapters.telegram.rich_text import RichText, Span
from bot.domain.folding import folded
from bot.domain.message import (
    Block,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
)

LONGEST_CAPTION = 1024
NOTHING = "(an empty message)"
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"
_HIDDEN = re.compile("[^\x20-\x7e\n\t]")


def split_content(content: Outbound) -> list[Piece]:
    """Returns the messages of a content: its text in parts, then its files.

    Buttons stand under the last part of the text, so that an edit which drops a file does not
    leave them behind; the reply mark is on the first message.
    """
    if content.folded:
        content = folded(content)
    bodies: list[dict[str, Any]] = [_text_body(part) for part in _parts(content)]
    files = [_file_body(file) for file in content.files]
    if not bodies and not files:
        bodies = [_text_body(RichText(NOTHING))]
    if content.buttons:
        (bodies or files)[-1]["buttons"] = [
            [{"label": clean(b.label) or "·", "data": clean(b.data)} for b in row]
            for row in content.buttons
        ]
    bodies += files
    if content.reply_to is not None:
        bodies[0]["reply_to"] = content.reply_to
    if content.silent:
        for body in bodies:
            body["silent"] = True
    if content.previews:
        for body in bodies:
            body["previews"] = True
    return [Piece(body) for body in bodies]


def visible(text: str) -> str:
    """Writes every character that would not show as a sign or an escape."""
    return _HIDDEN.sub(lambda found: _shown(found[0]), text)


def _parts(content: Outbound) -> list[RichText]:
    is_card = content.kind is OutboundKind.CARD
    long_captions = [Plain(f.caption) for f in content.files if _is_long(f)]
    whole = RichText("")
    before: Block | None = None
    for block in (*content.blocks, *long_captions):
        rich = _rich(block, whole=is_card)
        if not has_ink(rich.text):
            continue
        if before is not None:
            # A card is a list of lines, and code is set apart by its frame.
            tight = is_card or isinstance(block, CodeBlock) or isinstance(before, CodeBlock)
            whole += RichText("\n" if tight else "\n\n")
        whole += rich
        before = block
    return cut(whole)


def _rich(block: Block, *, whole: bool) -> RichText:
    """Formats a block; with `whole` every character is visible, as it always is in code."""
    text = clean(block.text)
    match block:
        case Markdown():
            return formatted(visible(text) if whole else text)
        case Plain():
            return RichText(visible(text) if whole else text)
        case CodeBlock():
            text = visible(text)
            return RichText(text, (Span("pre", 0, len(text), language=block.language or None),))
        case _:
            assert_never(block)


def _shown(character: str) -> str:
    if character.isprintable() and character not in _BLANK_LETTERS:
        return character
    number = ord(character)
    if number < 0x20:
        return chr(0x2400 + number)
    if number == 0x7F:
        return "\u2421"
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def _is_long(file: FileRef) -> bool:
    return len(file.caption) > LONGEST_CAPTION


def _text_body(rich: RichText) -> dict[str, Any]:
    entities = rich.entities()
    return {"text": rich.text, "entities": entities} if entities else {"text": rich.text}


def _file_body(file: FileRef) -> dict[str, Any]:
    source = {"path": file.path} if file.text is None else {"text": clean(file.text)}
    body: dict[str, Any] = {"file": {**source, "name": clean(file.name)}}
    if file.caption and not _is_long(file):
        body["caption"] = clean(file.caption)
    return body
