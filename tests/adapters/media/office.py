"""Office documents and mails, made by the libraries that people's programs resemble.

A library is loaded where it is used: each worker reads this file, and few make a document.
"""

import datetime
import io
import zipfile
from collections.abc import Mapping
from email.message import EmailMessage
from typing import Any

_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml"


def word() -> bytes:
    """Minutes with a heading, a list and a table."""
    import docx

    document: Any = docx.Document()
    document.add_heading("Minutes", 1)
    document.add_paragraph("Ann opened the meeting.")
    document.add_paragraph("Buy paper", style="List Bullet")
    table = document.add_table(2, 2)
    for at, text in (((0, 0), "who"), ((0, 1), "what"), ((1, 0), "Bob"), ((1, 1), "two\nlines")):
        table.cell(*at).text = text
    return _saved(document)


def excel(*, far: bool = False) -> bytes:
    """A sheet with words, numbers and a day, and perhaps one with nothing but a cell far away."""
    import openpyxl

    book: Any = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Costs"
    sheet.append(["what", "price", "day"])
    sheet.append(["a, b", 1.5, datetime.datetime(2026, 1, 2)])  # noqa: DTZ001
    if far:
        book.create_sheet("Far")["XFD1048576"] = True
    return _saved(book)


def slides() -> bytes:
    """One slide with a title, a table and notes."""
    import pptx

    show: Any = pptx.Presentation()
    slide = show.slides.add_slide(show.slide_layouts[5])
    slide.shapes.title.text = "Plans"
    table = slide.shapes.add_table(1, 2, 0, 0, 9999, 9999).table
    table.cell(0, 0).text, table.cell(0, 1).text = "left", "right"
    slide.notes_slide.notes_text_frame.text = "Speak slowly."
    return _saved(show)


def mail() -> bytes:
    """A mail in two forms with one attachment."""
    told = EmailMessage()
    told["From"], told["To"] = "Ann <ann@example.org>", "Bob <bob@example.org>"
    told["Subject"], told["Date"] = "Grüße", "Thu, 01 Jan 2026 10:00:00 +0000"
    told["Message-ID"] = "<1@example.org>"
    told.set_content("Hallo Bob,\nbis bald – Ann")
    told.add_alternative("<p>Hallo <b>Bob</b></p>", subtype="html")
    told.add_attachment(b"123", maintype="application", subtype="pdf", filename="bill.pdf")
    return told.as_bytes()


def page_mail() -> bytes:
    """A mail that is only a page."""
    told = EmailMessage()
    told["From"], told["Date"] = "shop@example.org", "Thu, 01 Jan 2026 10:00:00 +0000"
    told["Subject"] = "Sale"
    page = "<style>p{}</style><p>Half&nbsp;price</p><script>alert(1)</script><p>today</p>"
    told.set_content(page, subtype="html")
    return told.as_bytes()


def changed(data: bytes, parts: Mapping[str, bytes]) -> bytes:
    """An archive with these parts in place of its own, or beside them."""
    into = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(into, "w") as new:
        for name in old.namelist():
            new.writestr(name, parts[name] if name in parts else old.read(name))
        for name in parts.keys() - set(old.namelist()):
            new.writestr(name, parts[name])
    return into.getvalue()


def with_entities(data: bytes, part: str) -> bytes:
    """A document in which one part says what attackers say: a billion laughs."""
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
    whole = zipfile.ZipFile(io.BytesIO(data)).read(part).decode()
    head, mark, rest = whole.partition("?>")
    return changed(data, {part: f"{head}{mark}{laughs}{rest}".encode()})


def with_macros(data: bytes) -> bytes:
    """A Word document as Word saves it with macros."""
    types = zipfile.ZipFile(io.BytesIO(data)).read("[Content_Types].xml").decode()
    main = "vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    types = types.replace(main, "vnd.ms-word.document.macroEnabled.main+xml")
    return changed(data, {"[Content_Types].xml": types.encode(), "word/vbaProject.bin": b"Sub"})


def locked(data: bytes) -> bytes:
    """An archive whose entries claim to be locked by a password."""
    marked = bytearray(data)
    at = 0
    while (at := marked.find(b"PK\x01\x02", at)) >= 0:
        marked[at + 8] |= 1
        at += 4
    return bytes(marked)


def sheets(count: int) -> bytes:
    """A workbook with very many sheets, written by hand: the library takes too long."""
    numbers = range(1, count + 1)
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        kinds = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" '
            f'ContentType="{_EXCEL}.worksheet+xml"/>'
            for n in numbers
        )
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" ContentType='
            '"application/vnd.openxmlformats-package.relationships+xml"/><Override PartName='
            f'"/xl/workbook.xml" ContentType="{_EXCEL}.sheet.main+xml"/>{kinds}</Types>',
        )
        archive.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        named = "".join(f'<sheet name="S{n}" sheetId="{n}" r:id="r{n}"/>' for n in numbers)
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{_SHEETS}" xmlns:r="{_RELATIONS}"><sheets>{named}</sheets>'
            "</workbook>",
        )
        targets = [("worksheet", f"worksheets/sheet{n}.xml") for n in numbers]
        archive.writestr("xl/_rels/workbook.xml.rels", _relations(targets))
        for n in numbers:
            cell = f'<row r="1"><c r="A1"><v>{n}</v></c></row>'
            sheet = f'<worksheet xmlns="{_SHEETS}"><sheetData>{cell}</sheetData></worksheet>'
            archive.writestr(f"xl/worksheets/sheet{n}.xml", sheet)
    return into.getvalue()


def _relations(targets: list[tuple[str, str]]) -> str:
    lines = "".join(
        f'<Relationship Id="r{n}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{lines}</Relationships>'


def _saved(document: Any) -> bytes:
    into = io.BytesIO()
    document.save(into)
    return into.getvalue()
