"""Turns a content into the messages it becomes; each is plain data, to be stored as it is."""

from dataclasses import replace
from typing import Any, assert_never

from bot.adapters.telegram.cutting import cut, has_ink
from bot.adapters.telegram.markdown import formatted
from bot.adapters.telegram.rich.document import rich_messages
from bot.adapters.telegram.rich_text import RichText, Span
from bot.adapters.telegram.visible import visible
from bot.domain.talk.message import (
    Block,
    CallBlock,
    CodeBlock,
    FileRef,
    Markdown,
    Outbound,
    OutboundKind,
    Piece,
    Plain,
)
from bot.domain.text.storable import storable
from bot.domain.turn.folding import folded

LONGEST_CAPTION = 1024
NOTHING = "(an empty message)"
_WEIGHTS = {"title": "bold", "aside": "italic"}
_FRAMES = frozenset({"pre", "blockquote", "expandable_blockquote"})
_FRAMED = (CodeBlock, CallBlock)
_BETWEEN_BACKTICKS = 2
_RICH_KINDS = frozenset({OutboundKind.ANSWER, OutboundKind.NOTICE, OutboundKind.CALLS})
"""The kinds of messages that may be rich. A card shows each sign as it is, in the older form."""

_FEW_LINES = 12
_FEW_CHARACTERS = 600


def split_content(content: Outbound, *, rich: bool = False, keep: bool = False) -> list[Piece]:
    """Returns the messages of a content: its text in parts, then its files.

    Buttons stand under the last part of the text, so that an edit which drops a file does not
    leave them behind; the reply mark is on the first message. With `rich` the text may become rich
    messages; each has the messages of the older form beside it. With `keep` it does so even where
    it need not, for a message that is rich already.
    """
    if content.folded:
        content = folded(content)
    bodies = [_text_body(part) for part in _parts(content)]
    if rich and content.kind in _RICH_KINDS and not content.previews:
        bodies = _rich_bodies(content, bodies, keep=keep) or bodies
    files = [_file_body(file) for file in content.files]
    if not bodies and not files:
        bodies = [_text_body(RichText(NOTHING))]
    _frame(content, bodies, files)
    return [Piece(body) for body in (*bodies, *files)]


def _rich_bodies(
    content: Outbound, older: list[dict[str, Any]], *, keep: bool
) -> list[dict[str, Any]]:
    """Returns the rich messages of a text; none where the older form is as good, or better."""
    made = rich_messages(_blocks(content), wanted=keep or len(older) > 1) or []
    if len(made) == 1 and older:
        return [{"rich": made[0].html, "instead": older}]
    bodies: list[dict[str, Any]] = []
    for message in made:
        alone = replace(content, blocks=message.older, files=())
        # The older form may show nothing of a part, as of a rule.
        parts = _parts(alone) or [RichText(NOTHING)]
        bodies.append({"rich": message.html, "instead": [_text_body(part) for part in parts]})
    return bodies


def _frame(content: Outbound, bodies: list[dict[str, Any]], files: list[dict[str, Any]]) -> None:
    """Adds what stands around the words: buttons, the reply mark, silence, an opened reply."""
    whole = [*bodies, *files]
    if content.buttons:
        rows = [
            [{"label": storable(b.label) or "·", "data": storable(b.data)} for b in row]
            for row in content.buttons
        ]
        _mark((bodies or files)[-1], -1, "buttons", rows)
    if content.reply_to is not None:
        _mark(whole[0], 0, "reply_to", content.reply_to)
    # One message makes one sound: the first piece.
    for number, body in enumerate(whole):
        for later in body.get("instead", ())[0 if number or content.silent else 1 :]:
            later["silent"] = True
        if number or content.silent:
            body["silent"] = True
    if content.asks:
        _mark(whole[-1], -1, "asks", storable(content.asks))
    if content.previews:
        for body in whole:
            body["previews"] = True


def _mark(body: dict[str, Any], at: int, name: str, value: Any) -> None:
    """Adds a field to a message, and to the first or last of those that may stand for it."""
    body[name] = value
    if "instead" in body:
        body["instead"][at][name] = value


def _parts(content: Outbound) -> list[RichText]:
    is_card = content.kind is OutboundKind.CARD
    whole = RichText("")
    before: Block | None = None
    blocks = _blocks(content)
    for block in blocks:
        # Words that stand alone, above a card for instance, are read; before an answer they fold.
        folds = len(blocks) > 1 and _is_said(block)
        rich = _folded(_rich(block, whole=False)) if folds else _rich(block, whole=is_card)
        if not has_ink(rich.text):
            continue
        if before is not None:
            # A card is a list of lines, and code is set apart by its frame.
            tight = is_card or isinstance(block, _FRAMED) or isinstance(before, _FRAMED)
            whole += RichText("\n" if tight else "\n\n")
        whole += rich
        before = block
    return cut(whole)


def _blocks(content: Outbound) -> tuple[Block, ...]:
    """Returns the blocks of the text, with the captions that are too long for their files."""
    long_captions = (Plain(f.caption) for f in content.files if _is_long(f))
    return (*_with_words_in_one(content.blocks), *long_captions)


def _is_said(block: Block) -> bool:
    return isinstance(block, Markdown) and block.said


def _with_words_in_one(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Returns the blocks with all words that were said before an answer in the first of them."""
    said = [block for block in blocks if isinstance(block, Markdown) and block.said]
    if not said:
        return blocks
    others = [block for block in blocks if not _is_said(block)]
    return (Markdown.joined(said, said=True), *others)


def _folded(rich: RichText) -> RichText:
    """Returns words as a quote that opens on a tap; as they are where they hold a frame."""
    if any(span.kind in _FRAMES for span in rich.spans):
        return rich
    quote = Span("expandable_blockquote", 0, len(rich.text))
    return RichText(rich.text, (quote, *rich.spans))


def _rich(block: Block, *, whole: bool) -> RichText:
    """Formats a block; with `whole` every character is visible, as it always is in code."""
    text = storable(block.text)
    match block:
        case Markdown() as words:
            return formatted(visible(text) if whole else text, words.hideable)
        case Plain(style=style):
            text = visible(text) if whole else text
            return _styled(text, style) if style else RichText(text)
        case CodeBlock(folds=True) if _is_tall(text):
            # An empty last line would stand between the quote and what follows it.
            text = visible(text).removesuffix("\n")
            return RichText(text, (Span("expandable_blockquote", 0, len(text)),))
        case CodeBlock():
            text = visible(text)
            return RichText(text, (Span("pre", 0, len(text), language=block.language or None),))
        case CallBlock():
            return _called(block)
        case _:
            assert_never(block)


def _called(call: CallBlock) -> RichText:
    """Formats a call: its line, and a quote that opens on a tap.

    What a tool was given and what it told are code: in code no link, name or mark comes alive.
    """
    inside = RichText("")
    for label, text in (("Input", call.given), ("Output", call.result)):
        code = visible(storable(text)).strip("\n")
        if has_ink(code):
            told = RichText(f"{label}\n") + RichText(code, (Span("code", 0, len(code)),))
            inside = inside + RichText("\n") + told if inside.text else told
    line = _styled(visible(storable(call.text)), "line")
    if not inside.text:
        return line
    quote = Span("expandable_blockquote", 0, len(inside.text))
    return line + RichText("\n") + RichText(inside.text, (quote, *inside.spans))


def _styled(text: str, style: str) -> RichText:
    """Formats a line: bold or italic but for the words between two backticks, which are code."""
    kind = _WEIGHTS.get(style)
    before, *code = text.split("`")
    if len(code) != _BETWEEN_BACKTICKS or not code[0]:
        return RichText(text, (Span(kind, 0, len(text)),) if kind else ())
    parts = ((before, kind), (code[0], "code"), (code[1], kind))
    rich = RichText("")
    for part, shape in parts:
        spans = (Span(shape, 0, len(part)),) if shape and part else ()
        rich += RichText(part, spans)
    return rich


def _is_tall(text: str) -> bool:
    """Returns True for a text that would push the buttons off a phone's screen."""
    return len(text) > _FEW_CHARACTERS or text.count("\n") >= _FEW_LINES


def _is_long(file: FileRef) -> bool:
    return len(file.caption) > LONGEST_CAPTION


def _text_body(rich: RichText) -> dict[str, Any]:
    entities = rich.entities()
    return {"text": rich.text, "entities": entities} if entities else {"text": rich.text}


def _file_body(file: FileRef) -> dict[str, Any]:
    source = {"path": file.path} if file.text is None else {"text": storable(file.text)}
    body: dict[str, Any] = {"file": {**source, "name": storable(file.name)}}
    if file.voice is not None:
        body["file"]["voice"] = file.voice
    if file.caption and not _is_long(file):
        body["caption"] = storable(file.caption)
    return body
