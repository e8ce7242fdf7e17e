"""A Markdown text in parts that can be laid out one after another."""

import copy
import re
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, cast

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, JustifyMethod, RenderResult
from rich.markdown import (
    Heading,
    HorizontalRule,
    ListElement,
    ListItem,
    Markdown,
    MarkdownElement,
    TableDataElement,
    TableElement,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from bot.adapters.markdown_parser import markdown_parser
from bot.adapters.terminal.renderer import Border
from bot.domain.tools.web_links import behind
from bot.domain.value import field, frozen

_LISTS = ("bullet_list_open", "ordered_list_open")
_ADDRESS = re.compile(r"(https?://|mailto:)[!-~]+")
_BETWEEN = 3
"""Columns between two columns of a table."""

_PARSER = markdown_parser()
_TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


@frozen
class SettledPart:
    """A part of a Markdown text that looks the same whatever follows it."""

    start: int
    """The place of its first letter in the text."""
    tokens: Sequence[Any]
    """The part as the parser read it; none for a line of a block of code."""
    follows: bool = False
    """True for all but the first item of a list and line of a block of code."""
    code: "CodeLines | None" = None
    """The block of code that it is a line of."""
    line: int = 0
    """The number of that line."""


@frozen
class CodeLines:
    """A block of code between fences."""

    lines: tuple[str, ...]
    language: str


@frozen
class Document:
    """A Markdown text with its parts."""

    length: int
    parts: tuple[SettledPart, ...]
    whole: "_Marked" = field(repr=False)

    @property
    def borders(self) -> list[Border]:
        begun = (Border(part.start, not part.follows) for part in self.parts[1:])
        return [Border(0, True), *begun, Border(self.length, True)]

    def between(self, start: int, end: int) -> list[SettledPart]:
        return [part for part in self.parts if start <= part.start < end]

    def alone(self, part: SettledPart) -> Markdown:
        """Returns one part, to be laid out by the library."""
        one = copy.copy(self.whole)
        one.parsed = list(part.tokens)
        return one


def parsed(text: str) -> Document:
    """Reads a Markdown text; anything that only a browser understands stays as it was typed."""
    whole = _Marked("", hyperlinks=True)
    tokens = _tamed(_PARSER.parse(text))
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    parts = [part for block in _blocks(tokens) for part in _parts(block, starts)]
    if parts:
        # What stands above the first part, such as empty lines, belongs to it.
        parts[0] = SettledPart(0, parts[0].tokens, False, parts[0].code, parts[0].line)
    return Document(len(text), tuple(parts), whole)


def _blocks(tokens: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """Returns the tokens of each outermost block."""
    depth, first = 0, 0
    for n, token in enumerate(tokens):
        depth += token.nesting
        if depth == 0:
            yield tokens[first : n + 1]
            first = n + 1


def _parts(block: Sequence[Any], starts: Sequence[int]) -> Iterable[SettledPart]:
    head = block[0]
    if head.type in _LISTS:
        yield from _items(block, starts)
    elif head.type == "fence":
        yield from _code_lines(head, starts)
    else:
        yield SettledPart(starts[head.map[0]], block)


def _items(block: Sequence[Any], starts: Sequence[int]) -> Iterable[SettledPart]:
    """Returns each item of a list as a list of its own, which goes on with the numbers."""
    head, end = block[0], block[-1]
    first = int(head.attrs.get("start", 1))
    for n, item in enumerate(_blocks(block[1:-1])):
        opening = copy.copy(head)
        opening.attrs = {**head.attrs, "start": first + n} if head.tag == "ol" else head.attrs
        yield SettledPart(starts[item[0].map[0]], [opening, *item, end], follows=n > 0)


def _code_lines(fence: Any, starts: Sequence[int]) -> Iterable[SettledPart]:
    first, end = fence.map
    content = fence.content.removesuffix("\n")
    language = fence.info.split()[0] if fence.info.split() else ""
    code = CodeLines(tuple(content.split("\n")) if fence.content else (), language)
    # The line of the fence itself is shown with the first line of code.
    yield SettledPart(starts[first], (), False, code)
    for line in range(first + 2, end):
        yield SettledPart(starts[line], (), True, code, line - first - 1)


def _tamed(tokens: Iterable[Any]) -> list[Any]:
    """Returns the tokens with addresses written out, and without anything that would be lost."""
    tamed: list[Any] = []
    for token in tokens:
        if token.type == "html_block":
            tamed += _paragraph(token)
            continue
        if token.type == "inline":
            token.children = _inline(token.children or [])
            item = len(tamed) > 1 and tamed[-2].type == "list_item_open"
            # By the source, in which a bracket that is meant as itself has a backslash before it.
            if item and token.children and (sign := _TASKS.get(token.content[:4])):
                first = token.children[0]
                first.content = sign + first.content[4:]
        tamed.append(token)
    return tamed


def _paragraph(raw: Any) -> list[Any]:
    new = type(raw)
    opening, end = new("paragraph_open", "p", 1), new("paragraph_close", "p", -1)
    inline = new("inline", "", 0)
    opening.map = inline.map = raw.map
    inline.children = _text_lines(raw, raw.content.rstrip("\n"))
    return [opening, inline, end]


def _text_lines(like: Any, text: str) -> list[Any]:
    lines = [_text(like, line) for line in text.split("\n")]
    breaks = [type(like)("hardbreak", "br", 0) for _ in lines]
    return [token for pair in zip(breaks, lines, strict=True) for token in pair][1:]


def _text(like: Any, content: str) -> Any:
    token = type(like)("text", "", 0)
    token.content = content
    return token


def _inline(tokens: Sequence[Any]) -> list[Any]:
    tamed: list[Any] = []
    opened: list[tuple[Any, int]] = []
    for token in tokens:
        match token.type:
            case "html_inline":
                tamed.append(_text(token, token.content))
            case "softbreak":
                token.type = "hardbreak"
                tamed.append(token)
            case "image":
                tamed.append(_text(token, f"🖼 {token.content} ({token.attrs.get('src', '')})"))
            case "link_open":
                opened.append((token, len(tamed)))
                tamed.append(token)
            case "link_close":
                opening, at = opened.pop()
                tamed[at:] = _link(opening, tamed[at + 1 :], token)
            case _:
                tamed.append(token)
    return tamed


def _link(opening: Any, inside: list[Any], end: Any) -> list[Any]:
    """Returns a link whose address can be read, so that its words cannot hide it."""
    address = str(opening.attrs.get("href", ""))
    shown = "".join(token.content for token in inside)
    leads = _ADDRESS.fullmatch(address)
    if opening.markup == "autolink" and not leads:
        return [_text(opening, f"<{shown}>")]
    # Nothing is known here: in a terminal one cannot see where a link leads before it opens.
    told = "" if address == f"mailto:{shown}" else behind(shown, address, ())
    if told:
        inside = [*inside, _text(opening, told)]
    return [opening, *inside, end] if leads else inside


class _Title(Heading):
    """A heading at the left edge."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self.text


class _Rule(HorizontalRule):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text("─" * options.max_width, style=console.get_style("markdown.hr"))


class _Item(ListItem):
    """An item with a dot behind its number."""

    def render_number(
        self, console: Console, options: ConsoleOptions, number: int, last_number: int
    ) -> RenderResult:
        mark = f"{f'{number}.':>3} "
        narrower = options.update(width=options.max_width - len(mark))
        style = console.get_style("markdown.item.number")
        for n, line in enumerate(console.render_lines(self.elements, narrower, style=self.style)):
            yield Segment(mark if n == 0 else " " * len(mark), style)
            yield from line
            yield Segment.line()


class _Grid(TableElement):
    """A table in columns, or row by row where the columns would break words."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        head = self.header.row.cells if self.header and self.header.row else []
        rows = [row.cells for row in self.body.rows] if self.body else []
        table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, border_style="dim")
        least = [_longest_word(column) for column in zip(head, *rows, strict=False)]
        for cell, width in zip(head, least, strict=True):
            title = Text(cell.content.plain, "bold")
            side = cast("JustifyMethod", cell.justify)
            table.add_column(title, justify=side, min_width=width, overflow="fold")
        for cells in rows:
            table.add_row(*(cell.content for cell in cells))
        if not rows or sum(least) + _BETWEEN * (len(least) - 1) <= options.max_width:
            yield table
            return
        for n, cells in enumerate(rows):
            if n:
                yield Text()
            for title, cell in zip(head, cells, strict=False):
                yield Text.assemble((f"{title.content.plain}: ", "bold"), cell.content)


def _longest_word(column: Sequence[TableDataElement]) -> int:
    words = (word for cell in column for word in cell.content.plain.split())
    return max((cell_len(word) for word in words), default=1)


class _Marked(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Title,
        "hr": _Rule,
        "bullet_list_open": ListElement,
        "ordered_list_open": ListElement,
        "list_item_open": _Item,
        "table_open": _Grid,
    }
