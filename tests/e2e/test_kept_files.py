"""Files of people through the real process: into the workspace, each once, and found by tools."""

from pathlib import Path

import pytest

from tests.adapters.media import files, office
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import calls, text, tool
from tests.words import ALWAYS, APPROVE, NOT_KEPT

CSV = b"a;b\n1;2\n"


def kept(steward: Steward) -> dict[str, bytes]:
    """The files in the inbox of Ann's workspace."""
    return held(steward.workspace / "inbox")


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()} if folder.is_dir() else {}


@pytest.mark.telegrams_own
async def test_files_of_every_kind_are_read_and_kept_under_their_names(steward: Steward) -> None:
    sent = {
        "minutes.docx": (office.word(), "# Minutes\nAnn opened the meeting.", "Word document"),
        "costs.xlsx": (office.excel(), '"a, b",1.5,2026-01-02', "Excel workbook"),
        "plans.pptx": (office.slides(), "Notes: Speak slowly.", "PowerPoint presentation"),
        "letter.eml": (office.mail(), "Subject: Grüße", "mail"),
        "all.zip": (office.changed(office.word(), {}), "# Minutes", "Word document"),
        "bill.pdf": (files.pdf("Total 9"), "Total 9", "PDF document"),
    }
    steward.script(*(text(f"Seen {name}.") for name in sent))
    await steward.start()
    for count, (name, (data, words, kind)) in enumerate(sent.items(), 1):
        steward.telegram.send_document(steward.ann, data, name)
        await steward.sees(f"Seen {name}.")
        asked = words_in(await steward.asked(count))
        assert f'name="{name}" kind="{kind}" file="inbox/{name}" size=' in asked
        assert words in asked
    assert kept(steward) == {name: data for name, (data, _, _) in sent.items()}


@pytest.mark.telegrams_own
async def test_pictures_and_recordings_are_kept_too(steward: Steward) -> None:
    steward.script(*(text(f"Seen {n}.") for n in (1, 2, 3, 4)))
    await steward.start()
    photo = files.picture(20, 20, "JPEG")
    steward.telegram.send_photo(steward.ann, photo)
    await steward.sees("Seen 1.")
    steward.telegram.send_voice(steward.ann, b"OggS voice")
    await steward.sees("Seen 2.")
    steward.telegram.send_video(steward.ann, b"ftyp film")
    await steward.sees("Seen 3.")
    steward.telegram.send_video_note(steward.ann, b"ftyp note")
    await steward.sees("Seen 4.")
    assert "it is kept as inbox/video.mp4, 9 B]" in words_in(await steward.asked(4))
    assert kept(steward) == {
        "photo.jpg": photo,
        "voice.ogg": b"OggS voice",
        "film.mp4": b"ftyp film",
        "video.mp4": b"ftyp note",
    }


@pytest.mark.telegrams_own
@pytest.mark.commands
async def test_a_command_can_work_with_a_file_that_was_sent(steward: Steward) -> None:
    steward.script(calls(tool("run_command", {"command": "wc -l inbox/a.csv"})), text("Two."))
    await steward.start()
    steward.telegram.send_document(steward.ann, CSV, "a.csv", caption="How many lines?")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Two.")
    (result,) = results_in(await steward.asked(2)).values()
    assert "2 inbox/a.csv" in result


@pytest.mark.telegrams_own
async def test_hostile_names_stay_in_the_inbox(steward: Steward) -> None:
    names = ["../../x", "a\x00b.csv", "x" * 300 + ".csv", "\u202egpj.exe", "📊.txt", "CON", ".env"]
    safe = ["x", "a\ufffdb.csv", "x" * 116 + ".csv", "gpj.exe", "📊.txt", "_CON", "env"]
    steward.script(*(text(f"Seen {n}.") for n in range(len(names))))
    await steward.start()
    for number, name in enumerate(names):
        steward.telegram.send_document(steward.ann, CSV, name, mime_type="text/csv")
        await steward.sees(f"Seen {number}.")
    assert sorted(kept(steward)) == sorted(safe)
    assert [path.name for path in steward.workspace.iterdir()] == ["inbox"]


@pytest.mark.telegrams_own
async def test_a_link_planted_in_place_of_the_inbox_leads_nowhere(steward: Steward) -> None:
    outside = steward.folder / "outside"
    outside.mkdir()
    (steward.workspace / "inbox").symlink_to(outside)
    steward.script(text("Read."))
    await steward.start()
    steward.telegram.send_document(steward.ann, CSV, "a.csv")
    await steward.sees("Read.")
    await steward.sees(NOT_KEPT)
    words = words_in(await steward.asked(1))
    assert 'not_kept="inbox: a part of the path is not a folder, or is a link' in words
    assert "a;b\n1;2" in words
    assert held(outside) == {}


@pytest.mark.telegrams_own
async def test_a_full_inbox_is_told_in_one_sentence(steward: Steward) -> None:
    steward.script(text("One."), text("Two."))
    await steward.start(STEWARD_INBOX_FILES=1)
    steward.telegram.send_document(steward.ann, CSV, "a.csv")
    await steward.sees("One.")
    steward.telegram.send_document(steward.ann, CSV, "b.csv")
    await steward.sees("Two.")
    told = await steward.sees(NOT_KEPT)
    assert '"b.csv"' in told.text
    assert "inbox/ is full: it holds 1 files" in told.text
    assert list(kept(steward)) == ["a.csv"]


@pytest.mark.telegrams_own
async def test_killed_whenever_a_file_appears_each_message_leaves_one(steward: Steward) -> None:
    count = 5
    steward.model.script.rule(lambda _: text("Seen."))
    await steward.start()
    for number in range(count):
        steward.telegram.send_document(steward.ann, b"%d" % number, "a.csv", caption=f"n{number}")
    for there in range(1, count):
        await steward.eventually(lambda least=there: len(kept(steward)) >= least)
        await steward.restart()
    await steward.until(lambda: len(steward.records.bodies("asker")) == count)
    await steward.recorded()
    assert kept(steward) == {
        "a.csv": b"0",
        **{f"a ({number + 1}).csv": b"%d" % number for number in range(1, count)},
    }
    told = [body["text"] for body in steward.records.bodies("asker")]
    assert ['file="inbox/a.csv"' in told[0], 'file="inbox/a (5).csv"' in told[4]] == [True, True]


@pytest.mark.telegrams_own
async def test_killed_between_the_download_and_the_row_it_is_kept_once(steward: Steward) -> None:
    steward.script(text("Read."))
    await steward.start()
    gate = steward.telegram.hold("getFile")
    steward.telegram.send_document(steward.ann, CSV, "a.csv")
    await gate.arrived()
    with steward.records.locked():
        gate.release()
        await steward.until(lambda: steward.telegram.calls_of("getFile")[-1].status == 200)
        await steward.kill()
    await steward.start()
    await steward.sees("Read.")
    assert kept(steward) == {"a.csv": CSV}


@pytest.mark.telegrams_own
async def test_files_of_a_group_are_kept_in_its_folder(steward: Steward) -> None:
    team = steward.telegram.group("Team", steward.ann)
    steward.script(text("Read."))
    await steward.start()
    caption = "@steward_bot read this"
    steward.telegram.send_document(steward.ann, CSV, "a.csv", caption=caption, chat=team)
    await steward.until(lambda: steward.telegram.screen(team.id).from_bot)
    (folder,) = (steward.workspace / "chats").iterdir()
    assert held(folder / "inbox") == {"a.csv": CSV}
    assert kept(steward) == {}


@pytest.mark.telegrams_own
async def test_a_file_stays_foreign_after_a_fresh_start_and_under_another_name(
    steward: Steward,
) -> None:
    note = {"path": "note.md", "content": "x"}
    steward.script(
        calls(tool("write_file", note)),
        text("Written."),
        text("Kept."),
        calls(tool("read_file", {"path": "copy.csv"})),
        calls(tool("write_file", note)),
        text("Done."),
    )
    # What is recalled of the document would be foreign as well.
    await steward.start(STEWARD_RECALL_TOKENS=0)
    steward.say("Write a note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Written.")
    steward.telegram.send_document(steward.ann, CSV, "a.csv", caption="Keep this")
    await steward.sees("Kept.")
    (steward.workspace / "inbox" / "a.csv").rename(steward.workspace / "copy.csv")
    steward.say("/new")
    await steward.sees("fresh")
    steward.say("Read the copy and write the note")
    card = await steward.card()
    assert "a file that somebody sent (copy.csv)" in card.text
    steward.press(card, APPROVE)
    await steward.sees("Done.")
