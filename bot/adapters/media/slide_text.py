"""Reads the text of PowerPoint presentations, slide by slide, with the speaker's notes."""

import io
from collections.abc import Iterator
from typing import Any

import pptx
from pptx.exc import PythonPptxError

from bot.adapters.media.cut_text import CutText
from bot.adapters.media.unread import MALFORMED_OFFICE, Unread

_MOST_SLIDES = 500
_DEEPEST = 20
_MALFORMED = (PythonPptxError, *MALFORMED_OFFICE)


def text_of_slides(data: bytes) -> CutText:
    """Returns the words of the first 500 slides, tables and notes included."""
    text = CutText()
    try:
        slides = pptx.Presentation(io.BytesIO(data)).slides
        for count, slide in enumerate(slides, 1):
            room = count <= _MOST_SLIDES and all(text.add(line) for line in _lines(count, slide))
            if not room:
                text.notes.append(f"slides 1 to {min(count, _MOST_SLIDES)} of {len(slides)}")
                break
    except _MALFORMED:
        raise Unread("is a damaged PowerPoint presentation") from None
    return text


def _lines(number: int, slide: Any) -> Iterator[str]:
    yield ""
    yield f"# Slide {number}"
    yield from _words(slide.shapes, 0)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.strip()
        if notes:
            yield f"Notes: {notes}"


def _words(shapes: Any, depth: int) -> Iterator[str]:
    for shape in shapes:
        if hasattr(shape, "shapes") and depth < _DEEPEST:
            yield from _words(shape.shapes, depth + 1)
        elif getattr(shape, "has_text_frame", False):
            yield shape.text_frame.text.replace("\v", "\n").strip()
        elif getattr(shape, "has_table", False):
            for row in shape.table.rows:
                yield " | ".join(" ".join(cell.text.split()) for cell in row.cells)
