"""Files as people and attackers make them."""

import io
import random
import struct
import zipfile
import zlib

from PIL import Image
from pypdf import PdfWriter
from pypdf.generic import (
    ArrayObject,
    DecodedStreamObject,
    DictionaryObject,
    NameObject,
    NumberObject,
)

_FONT = {
    NameObject("/Type"): NameObject("/Font"),
    NameObject("/Subtype"): NameObject("/Type1"),
    NameObject("/BaseFont"): NameObject("/Helvetica"),
}


def picture(
    width: int, height: int, form: str = "PNG", *, mode: str = "RGB", noise: bool = False
) -> bytes:
    """A picture whose upper left quarter is red, or one of noise."""
    if noise:
        image = Image.frombytes(
            mode, (width, height), random.Random(1).randbytes(width * height * 3)
        )
    else:
        image = Image.new(mode, (width, height), "blue")
        image.paste("red", (0, 0, width // 2, height // 2))
    into = io.BytesIO()
    image.save(into, form)
    return into.getvalue()


def turned_photo(width: int, height: int, orientation: int) -> bytes:
    """A JPEG as a camera stores it: pixels as the sensor has them, and a place."""
    image = Image.open(io.BytesIO(picture(width, height, "JPEG")))
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "a camera that tells who owns it"
    into = io.BytesIO()
    image.save(into, "JPEG", exif=exif)
    return into.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size, with next to nothing behind the claim."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(bytes(100_000))
    chunks = ((b"IHDR", header), (b"IDAT", rows), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in chunks
    )


def office_bomb() -> bytes:
    """An office document, less than a hundred kilobytes long, that unpacks to 60 megabytes."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        with archive.open("word/document.xml", "w") as entry:
            for _ in range(60):
                entry.write(bytes(1_000_000))
    return into.getvalue()


def animation(frames: int) -> bytes:
    first = Image.new("P", (64, 64), 1)
    rest = [Image.new("P", (64, 64), number % 250) for number in range(1, frames)]
    into = io.BytesIO()
    first.save(into, "GIF", save_all=True, append_images=rest, optimize=False)
    return into.getvalue()


def pdf(*texts: str, password: str | None = None) -> bytes:
    """A PDF document with one page a text; an empty text makes a page without any."""
    writer = PdfWriter()
    for text in texts:
        page = writer.add_blank_page(300, 300)
        fonts = DictionaryObject({NameObject("/F1"): DictionaryObject(_FONT)})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        content = DecodedStreamObject()
        content.set_data(f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET".encode() if text else b"")
        page[NameObject("/Contents")] = writer._add_object(content)
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    return _written(writer)


def pdf_whose_pages_hold_themselves() -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(100, 100)
    pages = writer._pages.get_object()
    assert isinstance(pages, DictionaryObject)
    pages[NameObject("/Kids")] = ArrayObject([writer._pages, writer._pages])
    pages[NameObject("/Count")] = NumberObject(10**9)
    return _written(writer)


def pdf_with_endless_stream() -> bytes:
    """A page whose content unpacks to two gigabytes."""
    packed = _packed(b"(x) Tj " * 150_000, 2_000)
    head = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    head += b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    head += b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>endobj\n"
    stream = b"4 0 obj<</Filter/FlateDecode/Length %d>>stream\n" % len(packed)
    return head + stream + packed + b"\nendstream endobj\ntrailer<</Root 1 0 R/Size 5>>\n%%EOF"


def _packed(chunk: bytes, times: int) -> bytes:
    """The chunk so many times in zlib's form, though it is packed only once."""
    packer = zlib.compressobj(9, wbits=-15)
    # After a full flush a block refers to nothing before it, so it can stand there again.
    block = packer.compress(chunk) + packer.flush(zlib.Z_FULL_FLUSH)
    low, high = 1, 0
    added_high, added_low = divmod(zlib.adler32(chunk, 0), 1 << 16)
    for _ in range(times):
        high = (high + len(chunk) * low + added_high) % 65_521
        low = (low + added_low) % 65_521
    return b"\x78\xda" + block * times + packer.flush() + struct.pack(">HH", high, low)


def _written(writer: PdfWriter) -> bytes:
    into = io.BytesIO()
    writer.write(into)
    return into.getvalue()
