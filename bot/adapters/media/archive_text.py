"""Reads a zip archive as what it holds: an office document, or a list of its entries."""

from collections.abc import Callable

from bot.adapters.media.cut_text import CutText
from bot.adapters.media.found import FoundText
from bot.adapters.media.kind import Kind
from bot.adapters.media.unread import Unread
from bot.adapters.media.zip_archive import Archive, listing, opened


def text_of_archive(data: bytes, kind: Kind) -> FoundText:
    """Returns the text of an office document, whatever its name, or the list of another archive."""
    archive = opened(data, kind)
    if archive.kind is Kind.ZIP:
        return listing(archive)
    archive.check()
    text = _reader(archive.kind)(data)
    if not text.text:
        raise Unread(f"is {archive.kind.one} without text")
    return FoundText(text.text, ", ".join(_notes(archive, text)), archive.kind)


def _notes(archive: Archive, text: CutText) -> list[str]:
    notes = list(dict.fromkeys(text.notes))
    return [*notes, "its macros were neither read nor run"] if archive.has_macros else notes


def _reader(kind: Kind) -> Callable[[bytes], CutText]:
    """Returns the reader of a kind; its library takes a moment to load, so only one is loaded."""
    if kind is Kind.WORD:
        from bot.adapters.media.word_text import text_of_word

        return text_of_word
    if kind is Kind.EXCEL:
        from bot.adapters.media.sheet_text import text_of_sheets

        return text_of_sheets
    from bot.adapters.media.slide_text import text_of_slides

    return text_of_slides
