"""Reads the cells of Excel workbooks, sheet by sheet, as comma-separated lines."""

import csv
import datetime
import io
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from bot.adapters.media.cut_text import CutText
from bot.adapters.media.unread import MALFORMED_OFFICE, Unread

_MOST_SHEETS = 100
_MOST_COLUMNS = 1_000
_MALFORMED = (InvalidFileException, zipfile.BadZipFile, *MALFORMED_OFFICE)


def text_of_sheets(data: bytes) -> CutText:
    """Returns the values of the first 100 sheets; a formula shows its last stored result."""
    text = CutText()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Without the read-only form, one cell at the far end of a sheet fills the memory.
            book = openpyxl.load_workbook(
                io.BytesIO(data), read_only=True, data_only=True, keep_links=False
            )
            _read(book, text)
    except _MALFORMED:
        raise Unread("is a damaged Excel workbook") from None
    return text


def _read(book: Any, text: CutText) -> None:
    sheets = book.worksheets
    for count, sheet in enumerate(sheets[:_MOST_SHEETS], 1):
        if not all(text.add(line) for line in _lines(sheet, text)):
            text.notes.append(f"sheets 1 to {count} of {len(sheets)}")
            return
    if len(sheets) > _MOST_SHEETS:
        text.notes.append(f"sheets 1 to {_MOST_SHEETS} of {len(sheets)}")


def _lines(sheet: Any, text: CutText) -> Iterator[str]:
    yield ""
    yield f"# Sheet “{sheet.title}”"
    # What a file claims of its size may be a lie.
    sheet.reset_dimensions()
    wide = False
    for row in sheet.iter_rows(values_only=True):
        wide = wide or len(row) > _MOST_COLUMNS
        yield _line(row[:_MOST_COLUMNS])
    if wide:
        text.notes.append(f"the first {_MOST_COLUMNS} columns of “{sheet.title}”")


def _line(row: Sequence[Any]) -> str:
    values = [_told(value) for value in row]
    while values and not values[-1]:
        values.pop()
    if not values:
        return ""
    into = io.StringIO()
    csv.writer(into, lineterminator="").writerow(values)
    return into.getvalue()


def _told(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        day = value.time() == datetime.time() and value.tzinfo is None
        return value.date().isoformat() if day else value.isoformat(" ")
    return f"{value:.15g}" if isinstance(value, float) else str(value)
