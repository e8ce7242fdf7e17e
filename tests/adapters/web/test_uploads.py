"""Files that people give to the page: kept once, bounded, and gone with their messages."""

import asyncio
import io
import os
import time
from collections.abc import Collection
from pathlib import Path

import pytest
from starlette.datastructures import UploadFile

from bot.adapters.web import uploads as module
from bot.adapters.web.uploads import NoRoom, TooManyAtOnce, Uploads
from bot.domain.talk.errors import FileWithheld
from bot.domain.talk.message import Attachment

HER, HIS = "web:1/form-one", "web:12/form-one"


def given(content: bytes, name: str = "a.txt") -> UploadFile:
    return UploadFile(io.BytesIO(content), filename=name)


def handed(handle: str) -> Attachment:
    return Attachment("document", "a.txt", None, handle)


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


async def test_files_go_by_age_and_with_their_messages(tmp_path: Path) -> None:
    uploads, asked = Uploads(tmp_path), list[Collection[str]]()
    ages = {"stored": 3_600, "erased": 3_600, "coming": 60, "old": 3 * 86_400}
    handles: dict[str, str] = {}
    for name, age in ages.items():
        kept = await uploads.keep(given(b"x"), f"web:1/form-{name}", 0)
        handles[name] = kept.handle
        at = time.time() - age
        os.utime(kept.handle, (at, at))
    (tmp_path / "f00.part").write_bytes(b"of a form that was cut off")
    os.utime(tmp_path / "f00.part", (0, 0))

    async def stored(keys: Collection[str]) -> Collection[str]:
        asked.append(keys)
        return {"web:1/form-stored", "web:1/form-old"}

    await uploads.sweep(stored)
    assert asked == [sorted(f"web:1/form-{name}" for name in ages)]
    assert names(tmp_path) == {Path(handles[name]).name for name in ("stored", "coming")}
    with pytest.raises(FileWithheld):
        await uploads.fetch(handed(handles["erased"]), 10)


async def test_one_person_leaves_room_for_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_OF_ONE", 10)
    monkeypatch.setattr(module, "_MOST_KEPT", 25)
    uploads = Uploads(tmp_path)
    await uploads.keep(given(b"x" * 11), HER, 0)
    with pytest.raises(NoRoom):
        await uploads.keep(given(b"x"), HER, 1)
    await uploads.keep(given(b"x" * 10), HIS, 0)
    await uploads.keep(given(b"x" * 5), HIS, 1)
    with pytest.raises(NoRoom):
        await uploads.keep(given(b"x"), "web:3/form-one", 0)


async def test_files_have_a_number_however_small_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MOST_FILES_OF_ONE", 2)
    monkeypatch.setattr(module, "_MOST_FILES", 3)
    uploads = Uploads(tmp_path)
    for n in range(2):
        await uploads.keep(given(b""), HER, n)
    with pytest.raises(NoRoom):
        await uploads.keep(given(b""), HER, 2)
    await uploads.keep(given(b""), HIS, 0)
    with pytest.raises(NoRoom):
        await uploads.keep(given(b""), HIS, 1)


async def test_a_person_whose_files_come_without_end_waits_and_no_other(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    coming = [uploads.keep(given(b"x"), f"web:1/form-{n}", 0) for n in range(40)]
    told = await asyncio.gather(*coming, uploads.keep(given(b"x"), HIS, 0), return_exceptions=True)
    refused = [one for one in told if isinstance(one, TooManyAtOnce)]
    assert (len(refused), len(names(tmp_path))) == (24, 17)
    await uploads.keep(given(b"x"), HER, 0)


async def test_what_came_first_under_a_name_stays(tmp_path: Path) -> None:
    uploads = Uploads(tmp_path)
    files = [given(b"the same") for _ in range(8)]
    kept = await asyncio.gather(*(uploads.keep(one, HER, 0) for one in files))
    assert len({*kept}) == 1
    again = await uploads.keep(given(b"something else"), HER, 0)
    assert await uploads.fetch(handed(again.handle), 100) == b"the same"
    assert len(names(tmp_path)) == 1


@pytest.mark.parametrize(
    "handle",
    [
        "",
        "../steward.db",
        "web:1~../../x~0",
        "web:1~form-one~0/..",
        "/etc/passwd",
        "\0",
        "../other/web:1~form-one~0",
        "{}/other/web:1~form-one~0",
        "{}/other/../uploads/x",
    ],
)
async def test_a_handle_leads_out_of_no_folder(tmp_path: Path, handle: str) -> None:
    for folder in ("other", "uploads", "web/uploads"):
        (tmp_path / folder).mkdir(parents=True)
    for name in ("other/web:1~form-one~0", "uploads/x"):
        (tmp_path / name).write_text("not for everybody")
    with pytest.raises(FileWithheld):
        await Uploads(tmp_path / "web" / "uploads").fetch(handed(handle.format(tmp_path)), 100)


async def test_a_file_is_found_from_the_home_of_another_process(tmp_path: Path) -> None:
    kept = await Uploads(tmp_path / "web" / "uploads").keep(given(b"of the page"), HER, 0)
    worker = Uploads(tmp_path / "work" / "uploads")
    assert await worker.fetch(handed(kept.handle), 100) == b"of the page"


async def test_a_file_is_found_in_a_home_that_was_moved(tmp_path: Path) -> None:
    kept = await Uploads(tmp_path / "old" / "uploads").keep(given(b"x"), HER, 0)
    (tmp_path / "old").rename(tmp_path / "new")
    moved = Uploads(tmp_path / "new" / "uploads")
    assert await moved.fetch(handed(kept.handle), 100) == b"x"
    # Earlier versions stored the name alone.
    assert await moved.fetch(handed(Path(kept.handle).name), 100) == b"x"
