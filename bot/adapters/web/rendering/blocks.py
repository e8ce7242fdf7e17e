"""The blocks of a message as views: text, plain words, code, differences, calls of tools."""

from collections.abc import Sequence

from bot.adapters.web.rendering.highlighting import highlighted
from bot.adapters.web.rendering.markdown import html_of
from bot.adapters.web.rendering.views import (
    BlockView,
    CallView,
    CodeView,
    DiffLineView,
    DiffView,
    TextView,
    WordsView,
)
from bot.domain.talk.hunks import LANGUAGE, in_words
from bot.domain.talk.message import Block, CallBlock, CodeBlock, Markdown, Plain

_LONGEST_COMPARED = 400
"""Letters of a line up to which its changed words are looked for."""

_WORDS_OF_PLACES = "— "


def block_view(block: Block) -> BlockView:
    """Returns how a block is shown."""
    match block:
        case Markdown(text=text, links=links):
            return TextView(html_of(text.strip(), links))
        case CodeBlock(text=text, language=language) if language == LANGUAGE:
            return difference(text)
        case CodeBlock(text=text, language=language):
            return CodeView(highlighted(text.removesuffix("\n"), language), language)
        case CallBlock(text=text, given=given, result=result, more=more):
            # A text that the line tells as a whole is left out.
            shown = "" if given.strip() in text else given
            return CallView(text, shown, result, more)
        case Plain(text=text, style=style):
            return WordsView(text, style)


def difference(text: str) -> DiffView:
    """Returns a unified difference, with the words marked that have changed within a line."""
    lines = [_line(line) for line in in_words(text.removesuffix("\n")).split("\n")]
    shown = list[DiffLineView]()
    at = 0
    while at < len(lines):
        cut = _run(lines, at, "-")
        add = _run(lines, at + cut, "+")
        if cut and cut == add:
            pairs = [_changed(lines[at + n], lines[at + cut + n]) for n in range(cut)]
            shown += [old for old, _ in pairs] + [new for _, new in pairs]
            at += 2 * cut
        else:
            step = max(1, cut)
            shown += lines[at : at + step]
            at += step
    return DiffView(tuple(shown), _label(shown))


def _line(line: str) -> DiffLineView:
    if line.startswith(_WORDS_OF_PLACES):
        return DiffLineView("@", ((line, False),))
    if line[:1] in ("+", "-"):
        return DiffLineView("+" if line[0] == "+" else "-", ((line[1:], False),))
    return DiffLineView(" ", ((line.removeprefix(" "), False),))


def _run(lines: Sequence[DiffLineView], at: int, sign: str) -> int:
    count = 0
    while at + count < len(lines) and lines[at + count].sign == sign:
        count += 1
    return count


def _changed(old: DiffLineView, new: DiffLineView) -> tuple[DiffLineView, DiffLineView]:
    """Returns a line before and after, each in pieces that are the same or have changed."""
    before, after = old.pieces[0][0], new.pieces[0][0]
    if max(len(before), len(after)) > _LONGEST_COMPARED:
        return old, new
    head = _alike(before, after)
    tail = min(_alike(before[::-1], after[::-1]), min(len(before), len(after)) - head)
    # Of two lines that share little, marked pieces would say nothing.
    if (head + tail) * 2 < min(len(before), len(after)):
        return old, new
    return _parted(old, head, tail), _parted(new, head, tail)


def _parted(line: DiffLineView, head: int, tail: int) -> DiffLineView:
    text = line.pieces[0][0]
    end = len(text) - tail
    parts = ((text[:head], False), (text[head:end], True), (text[end:], False))
    return DiffLineView(line.sign, tuple(part for part in parts if part[0]))


def _alike(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _label(lines: Sequence[DiffLineView]) -> str:
    cut = sum(line.sign == "-" for line in lines)
    add = sum(line.sign == "+" for line in lines)
    told = [f"{_lines(cut)} removed"] if cut else []
    if add:
        told.append(f"{_lines(add)} added" if not cut else f"{add} added")
    return f"The change: {', '.join(told)}" if told else "The change"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
