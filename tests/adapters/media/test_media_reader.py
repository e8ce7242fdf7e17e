"""What files become: text, a small picture, or one clear reason why not."""

import asyncio
import base64
import gzip
import io
import json
import os
import signal
import sys
import zipfile
from pathlib import Path

import psutil
import pytest
from PIL import Image

from bot.adapters.media.media_reader import MediaReader
from bot.domain.talk.limits import ReadingBounds
from bot.domain.turn.transcript import ImagePart
from bot.ports.attachments import DocumentText, NotRead
from tests.adapters.media import files


async def read(data: bytes, name: str = "file") -> DocumentText | ImagePart | NotRead:
    return await MediaReader(ReadingBounds()).read(data, name)


async def seen(data: bytes) -> Image.Image:
    """The picture a model gets, held to the bounds of every picture."""
    found = await read(data, "picture")
    assert isinstance(found, ImagePart)
    raw = base64.b64decode(found.data, validate=True)
    assert len(raw) <= 1_000_000
    image = Image.open(io.BytesIO(raw))
    assert Image.MIME[image.format or ""] == found.media_type
    assert max(image.size) <= 1568
    image.load()
    return image


async def why(data: bytes, name: str = "file") -> str:
    found = await read(data, name)
    assert isinstance(found, NotRead)
    return found.why


@pytest.mark.parametrize(
    ("form", "width"), [("JPEG", 3136), ("PNG", 1600), ("WEBP", 1600), ("GIF", 1600)]
)
async def test_a_large_picture_is_scaled_with_its_sides_in_proportion(
    form: str, width: int
) -> None:
    assert (await seen(files.picture(width, width // 2, form))).size == (1568, 784)


async def test_a_small_picture_keeps_its_size_and_its_pixels() -> None:
    image = (await seen(files.picture(40, 30))).convert("RGB")
    assert image.size == (40, 30)
    assert (image.getpixel((0, 0)), image.getpixel((39, 29))) == ((255, 0, 0), (0, 0, 255))


async def test_a_picture_that_packs_badly_still_fits_into_a_megabyte() -> None:
    assert (await seen(files.picture(1568, 1568, noise=True))).format == "JPEG"


async def test_a_photo_stands_upright_and_keeps_nothing_but_its_pixels() -> None:
    image = await seen(files.turned_photo(200, 100, orientation=6))
    assert image.size == (100, 200)
    red = image.convert("RGB").getpixel((95, 5))
    assert isinstance(red, tuple)
    assert red[0] > 200
    assert red[2] < 60
    assert not image.getexif()


async def test_transparency_is_kept() -> None:
    assert (await seen(files.picture(20, 20, mode="RGBA"))).mode == "RGBA"


async def test_of_an_animation_of_ten_thousand_frames_the_first_is_taken() -> None:
    assert (await seen(files.animation(10_000))).size == (64, 64)


async def test_a_picture_that_claims_gigapixels_is_refused_by_its_header() -> None:
    told = await why(files.png_header(50_000, 50_000), "bomb.png")
    assert told == "is a picture of more than 64 million pixels"


async def test_a_truncated_picture_is_told_as_damaged() -> None:
    whole = files.picture(400, 400, "JPEG", noise=True)
    assert await why(whole[: len(whole) // 2]) == "is a damaged picture"
    assert await why(files.png_header(4000, 4000)) == "is a damaged picture"
    assert await why(whole[:12]) == "is a damaged picture"


async def test_a_vector_drawing_is_read_as_the_text_it_is() -> None:
    drawing = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    assert await read(drawing.encode(), "drawing.svg") == DocumentText(drawing)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252", "iso-8859-15"])
async def test_text_is_read_in_the_encoding_it_was_written_in(encoding: str) -> None:
    text = "Größe;Preis\r\nStück für Käufer;schön, über München nach Zürich und zurück\r\n" * 20
    assert await read(text.encode(encoding), "table.csv") == DocumentText(text)


async def test_what_a_name_claims_does_not_count() -> None:
    text = json.dumps({"a": 1})
    assert await read(text.encode(), "photo.jpg") == DocumentText(text)
    assert isinstance(await read(files.picture(9, 9), "notes.txt"), ImagePart)


async def test_of_a_long_text_the_beginning_is_read_and_that_is_said() -> None:
    found = await read(b"word " * 1_000_000, "long.txt")
    assert isinstance(found, DocumentText)
    assert len(found.text) == 2_000_000
    assert found.note == "only the first 2000000 characters were read"


async def test_text_cut_within_a_character_stays_text() -> None:
    found = await read(b"a" + "ü".encode() * 3_000_000)
    assert isinstance(found, DocumentText)
    assert found.text.startswith("aüü")


async def test_a_pdf_is_read_page_by_page() -> None:
    found = await read(files.pdf("first page", "second page"), "a.pdf")
    assert found == DocumentText("first page\n\nsecond page", "", "PDF document")


async def test_of_a_pdf_with_very_many_pages_the_first_are_read() -> None:
    found = await read(files.pdf(*["page"] * 320), "a.pdf")
    assert isinstance(found, DocumentText)
    assert (found.text.count("page"), found.note) == (300, "pages 1 to 300 of 320")


async def test_a_pdf_says_why_it_has_no_text() -> None:
    assert await why(files.pdf("secret", password="x")) == "is locked by a password"
    assert "without text" in await why(files.pdf("", ""))
    assert "damaged PDF" in await why(b"%PDF-1.7\n" + bytes(range(256)) * 40)
    assert "damaged PDF" in await why(files.pdf("page")[:200])


async def test_a_pdf_whose_pages_hold_themselves_comes_to_an_end() -> None:
    assert "PDF" in await why(files.pdf_whose_pages_hold_themselves())


async def test_a_pdf_that_unpacks_to_gigabytes_is_refused() -> None:
    data = files.pdf_with_endless_stream()
    assert len(data) < 10_000_000
    assert "PDF" in await why(data)


def _nested_zip() -> bytes:
    data = b"0" * 1_000_000
    for _ in range(5):
        into = io.BytesIO()
        with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
            for number in range(16):
                archive.writestr(f"{number}.zip", data)
        data = into.getvalue()
    return data


async def test_of_an_archive_of_archives_only_the_outer_one_is_listed() -> None:
    found = await read(_nested_zip(), "bomb.zip")
    assert isinstance(found, DocumentText)
    assert found.text.splitlines()[0].startswith("0.zip  ")
    assert len(found.text.splitlines()) == 16


@pytest.mark.parametrize(
    ("data", "name", "told"),
    [
        (b"", "empty.txt", "is empty"),
        (b" \n\t ", "blank.txt", "white space"),
        (b"Rar!" + bytes(99), "a.rar", "is an archive"),
        (gzip.compress(b"x" * 99, mtime=0), "a.gz", "is an archive"),
        (b"\xd0\xcf\x11\xe0" + bytes(99), "old", "office document"),
        (b"\0\0\0\x18ftypheic" + bytes(9), "IMG.HEIC", "picture of a form"),
        (b"\0\0\0\x18ftypmp42" + bytes(9), "film.mp4", "recording"),
        (b"\x7fELF" + bytes(99), "program", "is of a kind that I cannot read"),
        (bytes(range(1, 9)) * 99, "noise", "is of a kind that I cannot read"),
    ],
)
async def test_what_is_not_read_is_told_by_its_sort(data: bytes, name: str, told: str) -> None:
    assert told in await why(data, name)


async def test_an_archive_that_was_cut_off_is_told_as_the_document_it_is_named() -> None:
    assert "is a damaged Word document" in await why(_nested_zip()[:-99], "report.docx")


async def test_a_reading_without_end_is_ended() -> None:
    impatient = MediaReader(ReadingBounds(seconds=0.01))
    found = await impatient.read(files.pdf("page"), "slow.pdf")
    assert found == NotRead("is a PDF document that takes too long to be read")


async def test_a_reading_that_wants_much_memory_is_ended() -> None:
    narrow = MediaReader(ReadingBounds(memory=100_000_000))
    found = await narrow.read(files.picture(5000, 5000), "large.png")
    assert found == NotRead("is a picture that needs too much memory to be read")


async def test_a_cancelled_reading_leaves_no_process() -> None:
    us = psutil.Process()
    # A fork server that an earlier test of this process has started stays to the end of all.
    before = set(us.children())
    reading = asyncio.create_task(
        MediaReader(ReadingBounds()).read(files.pdf(*["page"] * 300), "a.pdf")
    )
    while not (set(us.children()) - before):  # nobody tells that a process has begun
        await asyncio.sleep(0)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert set(us.children()) <= before


async def test_a_reading_has_nothing_of_our_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy, told = tmp_path / "spy", tmp_path / "told"
    spy.write_text(f'#!/bin/sh\nenv > "{told}"\nexec "{sys.executable}" "$@"\n')
    spy.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(spy))
    monkeypatch.setenv("TELEGRAM_BOT_TOKEN", "canary")
    assert isinstance(await read(files.picture(40, 30)), ImagePart)
    assert "PYTHONPATH=" in told.read_text()
    assert "canary" not in told.read_text()


@pytest.mark.parametrize(
    ("doing", "ends"),
    [
        ("open(sys.argv[1], 'wb', 0).write(data)", {1}),
        ("sum(iter(int, 1))", {-signal.SIGXCPU, -signal.SIGKILL}),
    ],
)
async def test_a_reading_writes_into_no_file_and_has_little_processor_time(
    tmp_path: Path, doing: str, ends: set[int]
) -> None:
    written = tmp_path / "written"
    code = (
        "import sys; from bot.adapters.media import child, plain_text\n"
        f"plain_text.text_of = lambda data: {doing}\n"
        "child.main('text', 10**9, 1)"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, str(written)),
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    await process.communicate(b"x")
    assert process.returncode in ends
    assert not written.exists() or written.read_bytes() == b""
