"""Office documents, mails and archives become text, or one plain sentence."""

import io
import zipfile
from collections.abc import Callable

import pytest

from bot.adapters.media.media_reader import MediaReader
from bot.domain.talk.limits import ReadingBounds
from bot.ports.attachments import DocumentText, NotRead
from tests.adapters.media import files, office


async def found(data: bytes, name: str = "file") -> DocumentText:
    reading = await MediaReader(ReadingBounds()).read(data, name)
    assert isinstance(reading, DocumentText), reading
    return reading


async def why(data: bytes, name: str = "file") -> str:
    reading = await MediaReader(ReadingBounds()).read(data, name)
    assert isinstance(reading, NotRead), reading
    return reading.why


async def test_a_word_document_is_read_in_its_order() -> None:
    text = "# Minutes\nAnn opened the meeting.\n- Buy paper\nwho | what\nBob | two lines"
    assert await found(office.word(), "minutes.docx") == DocumentText(text, "", "Word document")


async def test_a_workbook_is_read_as_lines_with_commas() -> None:
    reading = await found(office.excel(far=True), "costs.xlsx")
    assert reading.kind == "Excel workbook"
    assert reading.text.startswith('# Sheet “Costs”\nwhat,price,day\n"a, b",1.5,2026-01-02')
    assert "# Sheet “Far”" in reading.text


async def test_a_presentation_is_read_with_tables_and_notes() -> None:
    text = "# Slide 1\nPlans\nleft | right\nNotes: Speak slowly."
    assert await found(office.slides()) == DocumentText(text, "", "PowerPoint presentation")


async def test_a_mail_tells_its_headers_its_words_and_what_hangs_on() -> None:
    text = (
        "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\n"
        "Date: Thu, 01 Jan 2026 10:00:00 +0000\nSubject: Grüße\n\n"
        "Hallo Bob,\nbis bald – Ann\n\n"
        "[attachment “bill.pdf”, application/pdf, 3 B; not read]"
    )
    assert await found(office.mail(), "letter.eml") == DocumentText(text, "", "mail")


async def test_of_a_mail_that_is_a_page_the_words_are_read() -> None:
    reading = await found(office.page_mail(), "sale.eml")
    assert reading.text.endswith("Subject: Sale\n\nHalf price\n\ntoday")


async def test_a_text_with_a_colon_in_its_lines_is_no_mail() -> None:
    notes = b"To do: paper\nFrom: the shop\nDone: no\n\nThat is all."
    assert (await found(notes)).kind == "text"


async def test_an_archive_is_listed_and_not_unpacked() -> None:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/notes.txt", "x" * 2_000)
        archive.writestr("b\x1b[2J.txt", "")
    reading = await found(into.getvalue(), "all.zip")
    assert reading.text == "a/notes.txt  2.0 kB\nb\\x1b[2J.txt  0 B"
    assert reading.note == "this is the list of the archive; nothing was unpacked"


async def test_a_wrong_ending_hides_no_document() -> None:
    assert (await found(office.word(), "minutes.zip")).kind == "Word document"
    assert (await found(office.excel(), "notes.txt")).kind == "Excel workbook"
    assert await found(b"plain words", "letter.docx") == DocumentText("plain words")


async def test_macros_are_named_and_left_alone() -> None:
    reading = await found(office.with_macros(office.word()), "minutes.docm")
    assert reading.text.startswith("# Minutes")
    assert reading.note == "its macros were neither read nor run"


async def test_of_many_sheets_the_first_are_read() -> None:
    reading = await found(office.sheets(120), "many.xlsx")
    assert "# Sheet “S100”\n100" in reading.text
    assert "S101" not in reading.text
    assert reading.note == "sheets 1 to 100 of 120"


@pytest.mark.parametrize(
    ("made", "name", "told"),
    [
        (lambda: office.sheets(1_001), "a.xlsx", "is an Excel workbook of more than 1000 sheets"),
        (files.office_bomb, "a.docx", "is a Word document that unpacks to more than 50 MB"),
        (lambda: office.locked(office.word()), "a.docx", "is locked by a password"),
        (
            lambda: b"\xd0\xcf\x11\xe0" + bytes(600) + "EncryptedPackage".encode("utf-16-le"),
            "a.xlsx",
            "is an office document that is locked by a password",
        ),
        (lambda: b"\xd0\xcf\x11\xe0" + bytes(600), "a.doc", "is an old office document"),
        (
            lambda: office.with_entities(office.word(), "word/document.xml"),
            "a.docx",
            "XML entities",
        ),
        (
            lambda: office.with_entities(office.excel(), "xl/workbook.xml"),
            "a.xlsx",
            "XML entities",
        ),
        (
            lambda: office.with_entities(office.slides(), "ppt/presentation.xml"),
            "a.pptx",
            "XML entities",
        ),
        (lambda: office.word()[:9_000], "a.docx", "is a damaged Word document"),
        (
            lambda: office.changed(office.word(), {"word/document.xml": b"<w"}),
            "a.docx",
            "damaged Word",
        ),
        (
            lambda: office.changed(office.excel(), {"xl/workbook.xml": b"<w"}),
            "a.xlsx",
            "damaged Excel",
        ),
        (
            lambda: office.changed(office.slides(), {"ppt/presentation.xml": b"<"}),
            "a.pptx",
            "damaged",
        ),
        (lambda: b"PK\x05\x06" + bytes(18), "a.zip", "is an empty zip archive"),
        (
            lambda: bytes(range(256)) * 9,
            "a.bin",
            "is of a kind that I cannot read; I read text, pictures",
        ),
    ],
)
async def test_what_cannot_be_read_is_told_in_one_sentence(
    made: Callable[[], bytes], name: str, told: str
) -> None:
    assert told in await why(made(), name)


async def test_a_hostile_mail_comes_to_an_end() -> None:
    deep = b"".join(
        b'From: a\nDate: b\nSubject: c\nContent-Type: multipart/mixed; boundary="%d"\n\n--%d\n'
        % (n, n)
        for n in range(1_200)
    )
    await MediaReader(ReadingBounds()).read(deep, "deep.eml")
