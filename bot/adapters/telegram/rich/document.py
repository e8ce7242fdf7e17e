"""Makes the rich messages of a content, each with the older form that the same words have."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import assert_never

from bot.adapters.telegram.cutting import LONGEST as LONGEST_TEXT
from bot.adapters.telegram.cutting import has_ink
from bot.adapters.telegram.rich.elements import (
    HEADINGS,
    LONGEST,
    MOST_BLOCKS,
    VOID,
    Element,
    Node,
    blocks_in,
    text_of,
)
from bot.adapters.telegram.rich.reading import BothForms, Reading, read
from bot.adapters.telegram.visible import visible
from bot.domain.talk.message import Block, CallBlock, CodeBlock, Markdown, Plain
from bot.domain.text.storable import storable
from bot.domain.value import frozen

SAID = "Said on the way"
"""The line under which words fold that were said before an answer."""

_BETWEEN_BACKTICKS = 2
_WEIGHTS = {"title": "b", "aside": "i"}
_PERHAPS = re.compile(
    r"\||\$|\\[(\[]|\[[ xX]\]|^[ \t>]*(?:#|(?:```|~~~)[ \t]*math)|^[ \t>]*[-=]+[ \t]*$",
    re.MULTILINE,
)
"""Signs of Markdown without which no part of a text needs a rich message."""


@frozen
class RichMessage:
    """One rich message, and the blocks that say the same in the older form."""

    html: str
    older: tuple[Block, ...]


def rich_messages(blocks: Sequence[Block], *, wanted: bool) -> list[RichMessage] | None:
    """Returns the rich messages of these blocks; None where the older form is as good, or better.

    `wanted` asks for rich messages although entities would show every part.
    """
    if not wanted and not any(_may_need(block) for block in blocks):
        return None
    parts: list[BothForms] = []
    for block in blocks:
        reading = _reading(block, folds=len(blocks) > 1)
        if reading is None:
            return None
        wanted = wanted or reading.only_rich
        parts += reading.parts
    messages = cut(parts) if wanted and has_ink(_text(parts)) else None
    if not messages:
        return None
    if len(messages) == 1:
        return [RichMessage(_html(messages[0]), tuple(blocks))]
    return [RichMessage(_html(one), tuple(part.older for part in one)) for one in messages]


def rich_draft(text: str, links: Collection[str] | None = (), *, wanted: bool) -> str | None:
    """Returns the HTML of a draft, its end where it is too long; None where entities will do.

    `links` are the targets that words may hide; None when they may hide any.
    """
    wanted = wanted or len(text) > LONGEST_TEXT
    if not wanted and not _PERHAPS.search(text):
        return None
    reading = read(storable(text), links)
    if reading is None or not (wanted or reading.only_rich) or not has_ink(_text(reading.parts)):
        return None
    messages = cut(reading.parts)
    if not messages:
        return None
    before = html_of([Element("p", ("…",))]) if len(messages) > 1 else ""
    return before + _html(messages[-1])


def _may_need(block: Block) -> bool:
    if isinstance(block, CallBlock):
        return bool(block.given or block.result)
    return isinstance(block, Markdown) and _PERHAPS.search(block.text) is not None


def _html(parts: Iterable[BothForms]) -> str:
    return "".join(html_of(part.blocks) for part in parts)


def _text(parts: Iterable[BothForms]) -> str:
    return "".join(text_of(part.blocks) for part in parts)


def _reading(block: Block, *, folds: bool) -> Reading | None:
    text = storable(block.text)
    match block:
        case Markdown(said=True) if folds:
            said = read(text, block.hideable)
            return None if said is None else Reading((_folded(said, block),), said.only_rich)
        case Markdown(links=links):
            words = read(text, block.hideable)
            return None if words is None else words.linking(links)
        case Plain(style=style):
            lines = tuple(_lines(_styled(text, style)))
            blocks = (Element("p", lines),) if has_ink(text) else ()
            return Reading((BothForms(blocks, block),) if blocks else (), only_rich=False)
        case CodeBlock(language=language):
            code = visible(text).removesuffix("\n")
            marks = (("class", f"language-{storable(language)}"),)
            inside = (Element("code", (code,), marks),) if language else (code,)
            blocks = (Element("pre", inside),) if has_ink(code) else ()
            return Reading((BothForms(blocks, block),) if blocks else (), only_rich=False)
        case CallBlock():
            return _called(block)
        case _:
            assert_never(block)


def _called(call: CallBlock) -> Reading:
    """Returns a call as its line, with its input and output as code below it once it is opened."""
    line = tuple(_styled(visible(storable(call.text)), "line"))
    inside: list[Element] = []
    for label, text in (("Input", call.given), ("Output", call.result)):
        code = visible(storable(text)).strip("\n")
        if has_ink(code):
            inside += [Element("p", (label,)), Element("pre", (code,))]
    if not inside:
        return Reading((BothForms((Element("p", line),), call),), only_rich=False)
    details = Element("details", (Element("summary", line), *inside))
    return Reading((BothForms((details,), call),), only_rich=True)


def _folded(said: Reading, block: Block) -> BothForms:
    inside = [one for part in said.parts for one in part.blocks]
    return BothForms((Element("details", (Element("summary", (SAID,)), *inside)),), block)


def _styled(text: str, style: str) -> Iterator[Node]:
    """Yields a line as its weight; the words between two backticks are code."""
    tag = _WEIGHTS.get(style)
    before, *code = text.split("`")
    if not style or len(code) != _BETWEEN_BACKTICKS or not code[0]:
        yield Element(tag, (text,)) if tag else text
        return
    for part, kind in ((before, tag), (code[0], "code"), (code[1], tag)):
        if part:
            yield Element(kind, (part,)) if kind else part


def _lines(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yields the nodes with an element for each line break."""
    for node in nodes:
        if isinstance(node, Element):
            yield Element(node.tag, tuple(_lines(node.inside)), node.marks)
            continue
        first, *others = node.split("\n")
        yield first
        for line in others:
            yield Element("br")
            yield line


# The service knows few names of signs; these are among them.
_SIGNS = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def html_of(nodes: Sequence[Node]) -> str:
    """Returns the HTML of these parts."""
    return "".join(_written(node) for node in nodes)


def _written(node: Node) -> str:
    if isinstance(node, str):
        return node.translate(_SIGNS)
    marks = "".join(_mark(name, value) for name, value in node.marks)
    if node.tag in VOID:
        return f"<{node.tag}{marks}>"
    return f"<{node.tag}{marks}>{html_of(node.inside)}</{node.tag}>"


def _mark(name: str, value: str) -> str:
    return f' {name}="{value.translate(_SIGNS)}"' if value else f" {name}"


def cut(parts: Sequence[BothForms]) -> list[list[BothForms]] | None:
    """Returns the parts of each message, in order; None when one part alone is too large.

    A message ends between two blocks at the top, and a heading goes with the block after it.
    """
    messages: list[list[BothForms]] = [[]]
    length = blocks = 0
    for part in parts:
        size, count = len(text_of(part.blocks)), blocks_in(part.blocks)
        if length + size > LONGEST or blocks + count > MOST_BLOCKS:
            along = _headings(messages[-1])
            messages.append(along)
            length = sum(len(text_of(one.blocks)) for one in along)
            blocks = sum(blocks_in(one.blocks) for one in along)
            if length + size > LONGEST or blocks + count > MOST_BLOCKS:
                return None
        messages[-1].append(part)
        length, blocks = length + size, blocks + count
    return [message for message in messages if message]


def _headings(parts: list[BothForms]) -> list[BothForms]:
    """Takes the headings away that stand last, unless there is nothing else."""
    at = len(parts)
    while at and parts[at - 1].blocks[-1].tag in HEADINGS:
        at -= 1
    along = parts[at:] if at else []
    del parts[len(parts) - len(along) :]
    return along
