"""Lays tables out for a narrow screen: small ones as columns, others as a list of records.

Shared by platforms without tables. Works on the Markdown, so that a cell keeps its formatting.
The parser tells which part of the source is a table, and which a cell.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import pyromark

from bot.domain.text.markdown import literal

NARROW = 35
"""Columns of fixed-width text that a phone shows without breaking the line."""

_OPTIONS = (
    pyromark.Options.ENABLE_TABLES
    | pyromark.Options.ENABLE_STRIKETHROUGH
    | pyromark.Options.ENABLE_TASKLISTS
    | pyromark.Options.ENABLE_MATH
)
_GAP = "  "
_TICKS = re.compile(r"`+")
_TAG_SIGN = re.compile(r"(?<!\\)<")
_NOT_QUOTE = re.compile(r"[^>\s]")
# Formatting that columns of plain characters would lose.
_RICH = ("Link", "Image", "InlineMath", "DisplayMath")
_LINE_END = "  \n"
# The parser fills short rows up: a few kB can become a quarter of a million empty cells.
_MOST_CELLS = 20_000


def laid_out(source: str) -> str | None:
    """Returns the Markdown with every table readable at 35 columns; None for too many cells."""
    if "|" not in source or "-" not in source:
        return source
    data = source.encode()
    reading = _Reading()
    for payload, place in pyromark.events_with_range(source, options=_OPTIONS):
        reading.take(payload, range(place["start"], place["end"]))
        if reading.cells > _MOST_CELLS:
            return None
    parts: list[bytes] = []
    last = 0
    for table in reading.tables:
        parts += data[last : table.place.start], _shown(table, data).encode()
        last = table.place.stop
    return b"".join((*parts, data[last:])).decode()


@dataclass(slots=True)
class _Cell:
    """The text of a cell, as it is read and as it is written; tells if columns would do."""

    place: range
    plain: str = ""
    rich: bool = False
    formatted: bool = False
    pieces: list[tuple[range, bool]] = field(default_factory=list[tuple[range, bool]])
    """Its texts, and its code (True)."""

    def written(self, data: bytes) -> str:
        """Returns the cell's Markdown, as it may stand outside of a table.

        Code loses the escapes that bars need in a table. A sign that opened no tag in its cell
        would open one with the words of the next line, so it is escaped.
        """
        parts: list[bytes] = []
        last = self.place.start
        for piece, is_code in self.pieces:
            text = data[piece.start : piece.stop]
            shown = text.replace(b"\\|", b"|") if is_code else _untagged(text, data, piece.start)
            parts += data[last : piece.start], shown
            last = piece.stop
        return b"".join((*parts, data[last : self.place.stop])).decode().strip()


def _untagged(text: bytes, data: bytes, start: int) -> bytes:
    """Returns a text with `<` escaped, unless the source did that already."""
    escaped = data[start - 1 : start] == b"\\"
    kept = 1 if escaped and text.startswith(b"<") else 0
    return text[:kept] + text[kept:].replace(b"<", b"\\<")


@dataclass(slots=True)
class _Row:
    place: range
    cells: list[_Cell] = field(default_factory=list[_Cell])

    def surplus(self, data: bytes) -> str:
        """Returns the text behind the last column, which Markdown itself would drop."""
        end = self.cells[-1].place.stop if self.cells else self.place.start
        text = data[end : self.place.stop].decode().strip().strip("|").strip()
        return _TAG_SIGN.sub(r"\\<", text)


@dataclass(slots=True)
class _Table:
    place: range
    alignments: Sequence[str]
    rows: list[_Row] = field(default_factory=list[_Row])


class _Reading:
    """Collects the tables of a source from the parser's events; offsets are bytes."""

    def __init__(self) -> None:
        self._cell: _Cell | None = None
        self.cells = 0
        self.tables: list[_Table] = []

    def take(self, payload: Any, place: range) -> None:
        match payload:
            case {"Start": {"Table": alignments}}:
                self.tables.append(_Table(place, alignments))
            case {"Start": "TableHead" | "TableRow"}:
                self.tables[-1].rows.append(_Row(place))
            case {"Start": "TableCell"}:
                self.cells += 1
                self._cell = _Cell(place)
                self.tables[-1].rows[-1].cells.append(self._cell)
            case {"End": "TableCell"}:
                self._cell = None
            case _ if self._cell is not None:
                _read(self._cell, payload, place)
            case _:
                pass


def _read(cell: _Cell, payload: Any, place: range) -> None:
    match payload:
        case {"Text": str(text)}:
            cell.plain += text
            cell.pieces.append((place, False))
        case {"Code": str(text)}:
            cell.plain += text
            cell.formatted = True
            cell.pieces.append((place, True))
        case {"Start": kind} if isinstance(kind, dict):
            cell.formatted = True
            cell.rich = cell.rich or any(name in kind for name in _RICH)
        case {"Start": _}:
            cell.formatted = True
        case dict() if any(name in payload for name in _RICH):
            cell.rich = cell.formatted = True
        case _:
            pass


def _shown(table: _Table, data: bytes) -> str:
    """Returns the lines that stand for a table, each behind the marks of its blocks."""
    line_start = data.rfind(b"\n", 0, table.place.start) + 1
    before = data[line_start : table.place.start].decode()
    # A mark that opens a block, as a list's, is not repeated on the lines that follow.
    prefix = _NOT_QUOTE.sub(" ", before)
    text = _columns(table, data) or _records(table, data)
    lines = "".join(f"{prefix}{line}\n" for line in text.split("\n"))
    return f"\n{lines}{prefix.rstrip()}\n"


def _columns(table: _Table, data: bytes) -> str | None:
    """Returns the table as aligned columns; None if it is too wide or would lose formatting."""
    cells = [cell for row in table.rows for cell in row.cells]
    count = len(table.alignments)
    if count > NARROW // 2 or any(cell.rich for cell in cells):
        return None
    if any(row.surplus(data) for row in table.rows):
        return None
    # The parser fills short rows up, but not without end.
    texts = [[c.plain.strip() for c in row.cells] for row in table.rows]
    texts = [row + [""] * (count - len(row)) for row in texts]
    widths = [max(_width(row[n]) for row in texts) for n in range(count)]
    if sum(widths) + len(_GAP) * (count - 1) > NARROW:
        return None
    head, *rows = [_line(row, widths, table.alignments) for row in texts]
    rule = _GAP.join("─" * width for width in widths)
    ticks = max((len(t) for t in _TICKS.findall("\n".join((head, *rows)))), default=0)
    fence = "`" * max(3, ticks + 1)
    return "\n".join((fence, head, rule, *rows, fence))


def _line(texts: Sequence[str], widths: Sequence[int], alignments: Sequence[str]) -> str:
    parts: list[str] = []
    for text, width, alignment in zip(texts, widths, alignments, strict=True):
        blank = width - _width(text)
        left = {"Right": blank, "Center": blank // 2}.get(alignment, 0)
        parts.append(f"{' ' * left}{text}{' ' * (blank - left)}")
    return _GAP.join(parts).rstrip()


def _records(table: _Table, data: bytes) -> str:
    """Returns a block of lines for each row: the name of each column, and its cell."""
    head, *rows = table.rows
    labels = [_label(cell, data) for cell in head.cells]
    blocks: list[list[str]] = []
    if not rows or head.surplus(data):
        shown = (*(label.removesuffix(" ") for label in labels), head.surplus(data))
        blocks.append([" ".join(part for part in shown if part)])
    for row in rows:
        texts = (cell.written(data) for cell in row.cells)
        named = (f"{label}{text}" for label, text in zip(labels, texts, strict=False) if text)
        blocks.append([line for line in chain(named, (row.surplus(data),)) if line])
    return "\n\n".join(_LINE_END.join(lines) for lines in blocks if lines)


def _label(cell: _Cell, data: bytes) -> str:
    written = cell.written(data)
    if not written:
        return ""
    if cell.formatted:
        return f"{written}: "
    return f"**{literal(cell.plain)}:** "


def _width(text: str) -> int:
    """Counts the columns of a text in fixed width: two for wide characters, 0 for marks."""
    total, joined = 0, False
    for character in text:
        if character == "\ufe0f":
            total += 1
        elif not joined and unicodedata.category(character) not in ("Mn", "Me", "Cf"):
            total += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        joined = character == "\u200d"
    return total
