"""Reads the text of a PDF document, as far as its pages can be read in time."""

import io
import logging
import time

from pypdf import PageObject, PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from bot.adapters.media.found import FoundText
from bot.adapters.media.kind import Kind
from bot.adapters.media.unread import Unread

_MOST_PAGES = 300
_MOST_CHARACTERS = 2_000_000
_SECONDS = 12.0
_LOCKED = "is locked by a password"
# Malformed objects reach the library's code as values of a wrong type.
_MALFORMED = (
    PyPdfError,
    ArithmeticError,
    AttributeError,
    LookupError,
    NotImplementedError,
    RecursionError,
    TypeError,
    ValueError,
)


def text_of_pdf(data: bytes) -> FoundText:
    """Returns the text of the first 300 pages, page by page; raises Unread when there is none."""
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    reader = _opened(data)
    total = _page_count(reader)
    pages, damaged = _pages(reader, min(total, _MOST_PAGES))
    text = "\n\n".join(page for page in pages if page)
    if not text:
        if damaged:
            raise Unread("is a damaged PDF document; none of its pages can be read")
        raise Unread("is a PDF document without text; sent as photos, scanned pages can be seen")
    notes = [f"pages 1 to {len(pages)} of {total}"] if len(pages) < total else []
    notes += [f"{damaged} damaged pages left out"] if damaged else []
    notes += ["the text is cut"] if len(text) > _MOST_CHARACTERS else []
    return FoundText(text[:_MOST_CHARACTERS], ", ".join(notes), Kind.PDF)


def _opened(data: bytes) -> PdfReader:
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unread(_LOCKED)
    except (DependencyError, FileNotDecryptedError):
        raise Unread(_LOCKED) from None
    return reader


def _page_count(reader: PdfReader) -> int:
    total = len(reader.pages)
    if not total:
        raise Unread("is a PDF document without pages")
    return total


def _pages(reader: PdfReader, most: int) -> tuple[list[str], int]:
    """Returns the text of each page, empty for a damaged one; stops when time or room runs out."""
    until = time.monotonic() + _SECONDS
    pages: list[str] = []
    damaged = room = 0
    for number in range(most):
        if time.monotonic() > until or room > _MOST_CHARACTERS:
            break
        try:
            pages.append(_text(reader.pages[number]))
        except _MALFORMED:
            pages.append("")
            damaged += 1
        room += len(pages[-1])
    return pages, damaged


def _text(page: PageObject) -> str:
    return page.extract_text().strip()
