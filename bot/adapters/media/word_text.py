"""Reads the text of Word documents: paragraphs, headings, lists and tables in their order."""

import io
from collections.abc import Iterator, Mapping
from typing import Any

from docx.opc.exceptions import OpcError
from docx.opc.part import PartFactory
from docx.oxml.ns import qn
from docx.package import Package
from docx.parts.document import DocumentPart

from bot.adapters.media.cut_text import CutText
from bot.adapters.media.unread import MALFORMED_OFFICE, Unread

_ALSO = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_MALFORMED = (OpcError, *MALFORMED_OFFICE)
_DAMAGED = "is a damaged Word document"
_BREAKS = {qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:noBreakHyphen"): "-"}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def text_of_word(data: bytes) -> CutText:
    """Returns the text of a document, each heading with its `#`, each row of a table on a line."""
    for kind in _ALSO:
        PartFactory.part_type_for[kind] = DocumentPart
    text = CutText()
    try:
        document = Package.open(io.BytesIO(data)).main_document_part
        if not isinstance(document, DocumentPart):
            raise Unread(_DAMAGED)
        marks = _marks(document)
        for line in _lines(document.element.body, marks):
            if not text.add(line):
                break
    except _MALFORMED:
        raise Unread(_DAMAGED) from None
    return text


def _marks(document: DocumentPart) -> dict[str, str]:
    """Returns the marks of styles for headings and lists, by the style's id in this document."""
    headings = {f"heading {level}": "#" * level for level in range(1, 7)} | {"title": "#"}
    styles = [(style.style_id, (style.name or "").lower()) for style in document.styles]
    listed = {id: "-" for id, name in styles if name.startswith("list ")}
    return listed | {id: headings[name] for id, name in styles if name in headings}


def _lines(parent: Any, marks: Mapping[str, str]) -> Iterator[str]:
    for child in parent.iterchildren():
        if child.tag == qn("w:p"):
            yield _paragraph(child, marks)
        elif child.tag == qn("w:tbl"):
            yield from _rows(child)
        elif isinstance(child.tag, str) and child.tag != qn("w:sectPr"):
            # Content controls, insertions and custom marks hold paragraphs of their own.
            yield from _lines(child, marks)


def _paragraph(paragraph: Any, marks: Mapping[str, str]) -> str:
    text = _text(paragraph).strip()
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    listed = paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None
    mark = "" if style is None else marks.get(style.get(qn("w:val"), ""), "")
    mark = mark or ("-" if listed else "")
    return f"{mark} {text}" if text and mark else text


def _rows(table: Any) -> Iterator[str]:
    for row in table.iter(qn("w:tr")):
        cells = (" ".join(_text(cell).split()) for cell in row.iterchildren(qn("w:tc")))
        yield " | ".join(cells)


def _text(element: Any) -> str:
    return "".join(_pieces(element)).removesuffix("\n")


def _pieces(element: Any) -> Iterator[str]:
    """Yields the words below an element, without deleted ones and without doubles."""
    for child in element.iterchildren():
        if child.tag == qn("w:t"):
            yield child.text or ""
        elif child.tag in _BREAKS:
            yield _BREAKS[child.tag]
        elif child.tag != _FALLBACK:
            yield from _pieces(child)
            if child.tag == qn("w:p"):
                yield "\n"
