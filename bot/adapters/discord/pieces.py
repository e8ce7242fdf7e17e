"""Turns a content into the messages it becomes; each is plain data, to be stored as it is."""

from collections.abc import Sequence
from typing import Any

from bot.adapters.discord.call_text import calls_body
from bot.adapters.discord.card_text import fitted
from bot.adapters.discord.components import ANSWER
from bot.adapters.discord.cutting import LONGEST, cut, units
from bot.adapters.discord.formatting import FENCE, plain, written
from bot.domain.talk.message import (
    REPLY_WITH,
    Block,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
)
from bot.domain.text.storable import storable
from bot.domain.text.tail import tail_of
from bot.domain.turn.folding import folded

NOTHING = "(an empty message)"
LONG_ANSWER = 8_000
"""Characters of an answer above which its whole is a file: it would be more than four messages."""


def split_content(content: Outbound) -> list[Piece]:
    """Returns the messages of a content: its text in parts, then its files.

    Buttons stand under the last part of the text, so that an edit which drops a file does not
    leave them behind; the reply mark is on the first message.
    """
    if content.kind is OutboundKind.CALLS:
        return [Piece(calls_body(content))]
    if content.folded or _is_long(content):
        content = folded(content)
    is_card = content.kind is OutboundKind.CARD
    if is_card:
        content = fitted(content, lambda blocks: _text(blocks, is_card=True))
    parts = cut(_text(content.blocks, is_card=is_card))
    bodies: list[dict[str, Any]] = [{"text": part} for part in parts]
    files = [body for file in content.files for body in _file_bodies(file)]
    if not bodies and not files:
        bodies = [{"text": NOTHING}]
    if rows := _buttons(content):
        (bodies or files)[-1]["buttons"] = rows
    bodies += files
    if content.reply_to is not None:
        bodies[0]["reply_to"] = content.reply_to
    # One message makes one sound: the first piece.
    for body in bodies if content.silent else bodies[1:]:
        body["silent"] = True
    if content.previews:
        for body in bodies:
            body["previews"] = True
    return [Piece(body) for body in bodies]


def _buttons(content: Outbound) -> list[list[dict[str, str]]]:
    """Returns the rows of buttons; a message that asks for a reply gets a button that takes it."""
    rows = [
        [
            {"label": storable(b.label).strip() or "·", "data": storable(b.data)}
            | ({"asks": storable(b.asks)} if b.asks else {})
            for b in row
        ]
        for row in content.buttons
    ]
    if content.asks or any(_asks_for_reply(block) for block in content.blocks):
        rows.append([ANSWER | {"asks": storable(content.asks) or REPLY_WITH}])
    return rows


def _asks_for_reply(block: Block) -> bool:
    return isinstance(block, Plain | Markdown) and block.text.startswith(REPLY_WITH)


def shortened(text: str) -> str:
    """Returns the end of a text that grows, as much of it as one message holds."""
    if units(text) <= LONGEST:
        return text
    end = tail_of(text, LONGEST - len(f"…\n\n{FENCE}"), units)
    return f"…\n{end}"


def _is_long(content: Outbound) -> bool:
    if content.kind is not OutboundKind.ANSWER:
        return False
    return sum(len(block.text) for block in content.blocks) > LONG_ANSWER


def _text(blocks: Sequence[Block], *, is_card: bool) -> str:
    whole = ""
    before: Block | None = None
    for block in blocks:
        text = written(block, whole=is_card)
        if _is_said(block) and len(blocks) > 1 and FENCE not in text:
            text = _set_back(text)
        if not text.strip() or (isinstance(block, CodeBlock) and not block.text.strip()):
            continue
        if before is not None:
            # A card is a list of lines, and code is set apart by its frame.
            tight = is_card or isinstance(block, CodeBlock) or isinstance(before, CodeBlock)
            whole += "\n" if tight else "\n\n"
        whole += text
        before = block
    return whole


def _is_said(block: Block) -> bool:
    return isinstance(block, Markdown) and block.said


def _set_back(text: str) -> str:
    """Returns words that were said on the way as a quote, which stands back."""
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _file_bodies(file: FileRef) -> list[dict[str, Any]]:
    """Returns the message of a file; a voice message has no words, so they come behind it."""
    source = {"path": file.path} if file.text is None else {"text": storable(file.text)}
    body: dict[str, Any] = {"text": "", "file": {**source, "name": storable(file.name)}}
    words = cut(plain(storable(file.caption)))[0] if file.caption and file.caption.strip() else ""
    if file.voice is None:
        return [body | {"text": words}]
    body["file"]["voice"] = file.voice
    return [body, {"text": words}] if words else [body]
