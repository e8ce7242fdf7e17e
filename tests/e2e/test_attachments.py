"""Files of people through the real process: into the model's request, or told why not."""

import base64
import io
from typing import Any

import pytest
from PIL import Image

from tests.adapters.media import files
from tests.e2e.steward import Steward, words_in
from tests.standins.messages_api import ReceivedRequest, text

_FLOWS_OWN = pytest.mark.flows_own("the file has arrived already")


def images_in(request: ReceivedRequest) -> list[dict[str, Any]]:
    last = request.body["messages"][-1]
    return [block["source"] for block in last["content"] if block["type"] == "image"]


@pytest.mark.shared
async def test_a_photo_reaches_the_model_upright_and_small(steward: Steward) -> None:
    steward.script(text("A flag."))
    await steward.start()
    photo = files.turned_photo(4000, 3000, orientation=6)
    steward.photo(photo, "What is this?")
    await steward.sees("A flag.")
    request = await steward.asked(1)
    (source,) = images_in(request)
    image = Image.open(io.BytesIO(base64.b64decode(source["data"])))
    assert image.size == (1176, 1568)
    assert Image.MIME[image.format or ""] == source["media_type"]
    assert (
        "What is this?\n\n[a photo, “photo.jpg”, came along; it is kept as inbox/photo.jpg"
        in words_in(request)
    )


@_FLOWS_OWN
async def test_a_table_is_read_and_a_long_one_kept_whole_for_read_file(steward: Steward) -> None:
    steward.script(text("Short."), text("Long."))
    await steward.start()
    steward.attach(b"a;b\n1;2\n", "t.csv", "Sum it up")
    await steward.sees("Short.")
    facts = 'name="t.csv" kind="text" file="inbox/t.csv" size="8 B"'
    document = f'<quoted_data from="a document" {facts}>\na;b\n1;2\n\n</quoted_data>'
    assert document in words_in(await steward.asked(1))
    steward.attach(b"word " * 20_000, "long.md")
    await steward.sees("Long.")
    words = words_in(await steward.asked(2))
    assert "70000 of 100000 bytes left out; read_file artifact:document-" in words


@_FLOWS_OWN
async def test_a_pdf_document_is_read(steward: Steward) -> None:
    steward.script(text("An invoice."))
    await steward.start()
    steward.attach(files.pdf("Invoice 7", "Total 9"), "i.pdf")
    await steward.sees("An invoice.")
    assert "Invoice 7\n\nTotal 9" in words_in(await steward.asked(1))


@_FLOWS_OWN
async def test_hostile_and_unreadable_files_cost_no_turn(steward: Steward) -> None:
    sent = {
        "bomb.png": (files.png_header(50_000, 50_000), "of more than 64 million pixels"),
        "broken.pdf": (files.pdf("page")[:150], "is a damaged PDF document"),
        "endless.pdf": (files.pdf_with_endless_stream(), "PDF document"),
        "broken.jpg": (files.turned_photo(400, 300, orientation=1)[:900], "is a damaged picture"),
        "large.bin": (bytes(50_000_000), "is larger than the 20 MB that "),
        "bomb.docx": (files.office_bomb(), "unpacks to more than 50 MB, too much to read"),
        "a.zip": (b"PK\x03\x04" + bytes(99), "is a damaged zip archive"),
    }
    steward.script(*(text(f"Seen {name}.") for name in sent))
    await steward.start()
    for count, (name, (data, why)) in enumerate(sent.items(), start=1):
        steward.attach(data, name, "Look")
        await steward.sees(f"Seen {name}.")
        words = words_in(await steward.asked(count))
        assert "Look\n\n[a " in words
        assert f", “{name}”, " in words
        assert why in words


async def test_a_file_that_does_not_come_is_told_and_the_turn_goes_on(steward: Steward) -> None:
    steward.script(text("Please send it again."))
    await steward.start()
    steward.way.break_files()
    steward.attach(b"text", "a.txt", "Read")
    await steward.sees("Please send it again.")
    words = words_in(await steward.asked(1))
    assert "[a document, “a.txt”, could not be fetched from the channel" in words


async def test_killed_while_a_file_is_fetched_the_next_life_reads_it(steward: Steward) -> None:
    steward.script(text("Read."))
    await steward.start()
    gate = steward.way.hold_file()
    steward.attach(b"kept text", "a.txt")
    await gate.arrived()
    await steward.kill()
    gate.release()
    await steward.start()
    await steward.sees("Read.")
    assert "kept text" in words_in(await steward.asked(1))
    assert len(steward.shown) == 1
