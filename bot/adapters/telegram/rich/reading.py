"""Reads Markdown into the parts of a rich message; None where only the older form keeps it all."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pyromark
from telegramify_markdown.converter import STANDARD_OPTIONS

from bot.adapters.telegram.markdown import is_costly
from bot.adapters.telegram.mending import mended
from bot.adapters.telegram.rich.elements import DEEPEST, HEADINGS, MOST_COLUMNS, Element, Node
from bot.adapters.telegram.rich.formulas import Formulas, formula, is_formula, marked
from bot.adapters.telegram.rich.making import is_math_block, link, made_of
from bot.domain.talk.message import Block, Markdown
from bot.domain.value import frozen

_PLAIN = {
    "Paragraph": "p",
    "Emphasis": "i",
    "Strong": "b",
    "Strikethrough": "s",
    "Item": "li",
    "TableHead": "tr",
    "TableRow": "tr",
    "TableCell": "td",
}
_ONLY_RICH = frozenset({*HEADINGS, "table", "input", "tg-math", "tg-math-block"})
_LINES = frozenset({*HEADINGS, "b", "i", "s", "a", "th", "td"})
"""Tags within which nothing can stand in a line of its own."""

_LEADS_ON = re.compile(r"\\(?:href|url|html|include)")
"""Mathematics that may hold a link, which the reader of formulas alone would see."""

_ALIGNED = {"Left": "left", "Center": "center", "Right": "right"}


@frozen
class BothForms:
    """Blocks at the top of a message, and the same in the older form."""

    blocks: tuple[Element, ...]
    older: Block


@frozen
class Reading:
    """The blocks of a Markdown text; `only_rich` when entities cannot show one of them."""

    parts: tuple[BothForms, ...]
    only_rich: bool

    def linking(self, links: tuple[str, ...] | None) -> "Reading":
        """Returns it with the targets that words may hide in the older form, too."""
        parts = (replace(one, older=replace(one.older, links=links)) for one in self.parts)
        return replace(self, parts=tuple(parts))


def read(source: str, links: Collection[str] | None = ()) -> Reading | None:
    """Returns the blocks of a Markdown text; None for what would lose words or break a limit.

    `links` are the targets that words may hide; None when they may hide any.
    """
    if is_costly(source) or (links is not None and _LEADS_ON.search(source)):
        return None
    formulas = marked(source)
    safe = mended(formulas.text)
    if safe is None:
        return None
    reader = _Reader(safe.encode(), formulas, links)
    for payload, place in pyromark.events_with_range(safe, options=STANDARD_OPTIONS):
        if not reader.take(payload, range(place["start"], place["end"])):
            return None
    return Reading(tuple(reader.parts), reader.only_rich)


@dataclass(slots=True)
class _Open:
    """A tag whose end has not come; `place` is its Markdown, in bytes."""

    tag: str
    place: range
    marks: tuple[tuple[str, str], ...] = ()
    inside: list[Node] = field(default_factory=list[Node])
    columns: Sequence[str] = ()
    url: str = ""
    head: bool = False
    read_to: int = 0


@dataclass(slots=True)
class _Reader:
    data: bytes
    formulas: Formulas
    links: Collection[str] | None
    parts: list[BothForms] = field(default_factory=list[BothForms])
    only_rich: bool = False
    _open: list[_Open] = field(default_factory=list[_Open])

    def take(self, payload: Any, place: range) -> bool:
        """Takes one event of the parser; returns False for one that has no place here."""
        match payload:
            case {"Start": start}:
                opened = _opened(start, place)
                if opened is None or len(self._open) >= DEEPEST - 2:
                    return False
                self._begin(opened)
            case {"End": _}:
                return self._end()
            case {"TaskListMarker": bool(done)}:
                self._tick(done)
            case "Rule" if self._open:
                self._add(Element("hr"))
            case "Rule":
                self._top((Element("hr"),), place)
            case _:
                nodes = self._words(payload)
                if nodes is None or not self._open:
                    return False
                for node in nodes:
                    self._add(node)
        return True

    def _tick(self, done: bool) -> None:
        """Gives a box to the nearest item, also when the item's words stand in a paragraph."""
        marks = (("type", "checkbox"), *((("checked", ""),) if done else ()))
        item = next((one for one in reversed(self._open) if one.tag == "li"), None)
        if item is not None:
            item.inside.append(Element("input", marks=marks))

    def _words(self, payload: Any) -> Iterable[Node] | None:
        """Returns the parts of a line; None for raw HTML and what is not known."""
        within_code = bool(self._open) and self._open[-1].tag == "pre"
        match payload:
            case {"Text": str(text)}:
                return [self.formulas.restored(text)] if within_code else self._parted(text)
            case {"Code": str(text)}:
                return [Element("code", (self.formulas.restored(text),))]
            case {"InlineMath": str(text)} if not is_formula(text):
                return self._parted(f"${text}$")
            case {"InlineMath": str(text)}:
                return [formula(self.formulas.restored(text), own_line=False)]
            case {"DisplayMath": str(text)} if text.strip():
                return [formula(self.formulas.restored(text), own_line=True)]
            case {"DisplayMath": str(text)}:
                return [f"$${text}$$"]
            case "SoftBreak" | "HardBreak":
                return [Element("br")]
            case _:
                return None

    def _parted(self, text: str) -> list[Node]:
        return list(self.formulas.parted(text))

    def _begin(self, opened: _Open) -> None:
        above = self._open[-1] if self._open else None
        if opened.tag == "td" and above is not None:
            table = self._open[-2]
            at = len(above.inside)
            side = _ALIGNED.get(table.columns[at]) if at < len(table.columns) else None
            opened.tag = "th" if above.head else "td"
            opened.marks = (("align", side),) if side else ()
        self._open.append(opened)

    def _end(self) -> bool:
        done = self._open.pop()
        if done.tag in ("th", "td"):
            self._open[-1].read_to = done.place.stop
        if done.tag == "tr" and self._surplus(done):
            return False
        told = self.formulas.restored(done.url)
        made = (
            link(done.inside, told, self.links)
            if done.tag == "a"
            else made_of(done.tag, done.inside, done.marks, told)
        )
        if self._open:
            for node in made:
                self._add(node)
        elif blocks := tuple(node for node in made if isinstance(node, Element)):
            self._top(blocks, done.place)
        return True

    def _surplus(self, row: _Open) -> bool:
        """Tells if there is text behind the last column, which Markdown would drop."""
        return bool(self.data[row.read_to : row.place.stop].strip().strip(b"|").strip())

    def _top(self, blocks: tuple[Element, ...], place: range) -> None:
        source = self.formulas.restored(self.data[place.start : place.stop].decode())
        self.only_rich = self.only_rich or any(map(_needs_rich, blocks))
        self.parts.append(BothForms(blocks, Markdown(source)))

    def _add(self, node: Node) -> None:
        above = self._open[-1]
        if is_math_block(node) and above.tag in _LINES:
            # Only a paragraph can be parted around a formula in a line of its own.
            node = Element("tg-math", node.inside) if isinstance(node, Element) else node
        if isinstance(node, str) and above.inside and isinstance(above.inside[-1], str):
            above.inside[-1] += node
        elif node != "":
            above.inside.append(node)


def _opened(start: Any, place: range) -> _Open | None:
    """Returns the tag for a start of the parser; None for one that has no place here."""
    match start:
        case str(name) if name in _PLAIN:
            return _Open(_PLAIN[name], place, head=name == "TableHead")
        case {"Heading": {"level": str(level)}}:
            return _Open(level.lower(), place)
        case {"BlockQuote": _}:
            return _Open("blockquote", place)
        case {"CodeBlock": kind}:
            told = kind.get("Fenced", "") if isinstance(kind, dict) else ""
            return _Open("pre", place, url=str(told).partition(" ")[0])
        case {"List": first}:
            marks = (("start", str(first)),) if isinstance(first, int) and first != 1 else ()
            return _Open("ul" if first is None else "ol", place, marks)
        case {"Table": columns} if len(columns) <= MOST_COLUMNS:
            return _Open("table", place, (("bordered", ""), ("striped", "")), columns=columns)
        case {"Link": {"dest_url": str(url)}} | {"Image": {"dest_url": str(url)}}:
            return _Open("a", place, url=url)
        case _:
            return None


def _needs_rich(block: Element) -> bool:
    """Tells if entities cannot show a part of this block as it is meant."""
    if block.tag in _ONLY_RICH:
        return True
    return any(isinstance(node, Element) and _needs_rich(node) for node in block.inside)
