"""Files of people through the real process: into the workspace, each once, and found by tools."""

from contextlib import suppress
from pathlib import Path

import pytest

from tests.adapters.media import files, office
from tests.e2e.steward import Steward, results_in, words_in
from tests.standins.messages_api import calls, text, tool
from tests.words import ALWAYS, APPROVE, NOT_KEPT

_FLOWS_OWN = pytest.mark.flows_own("the file has arrived already")

CSV = b"a;b\n1;2\n"


def kept(steward: Steward) -> dict[str, bytes]:
    """The files in the inbox of Ann's workspace."""
    return held(steward.workspace / "inbox")


def held(folder: Path) -> dict[str, bytes]:
    found = dict[str, bytes]()
    for path in folder.iterdir() if folder.is_dir() else ():
        # A part that is about to get its name may be gone already.
        with suppress(FileNotFoundError):
            found[path.name] = path.read_bytes()
    return found


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
        steward.attach(data, name)
        await steward.sees(f"Seen {name}.")
        asked = words_in(await steward.asked(count))
        assert f'name="{name}" kind="{kind}" file="inbox/{name}" size=' in asked
        assert words in asked
    assert kept(steward) == {name: data for name, (data, _, _) in sent.items()}


async def test_pictures_and_recordings_are_kept_too(steward: Steward) -> None:
    steward.script(*(text(f"Seen {n}.") for n in (1, 2, 3)))
    await steward.start()
    photo = files.picture(20, 20, "JPEG")
    steward.photo(photo)
    await steward.sees("Seen 1.")
    steward.speak(b"OggS voice")
    await steward.sees("Seen 2.")
    steward.film(b"ftyp film")
    await steward.sees("Seen 3.")
    assert "it is kept as inbox/film.mp4, 9 B]" in words_in(await steward.asked(3))
    assert kept(steward) == {
        "photo.jpg": photo,
        steward.voice_name: b"OggS voice",
        "film.mp4": b"ftyp film",
    }


@pytest.mark.telegrams_own("round films are Telegram's")
async def test_a_round_film_is_kept_too(steward: Steward) -> None:
    steward.script(text("Seen."))
    await steward.start()
    steward.telegram.send_video_note(steward.ann, b"ftyp note")
    await steward.sees("Seen.")
    assert "it is kept as inbox/video.mp4, 9 B]" in words_in(await steward.asked(1))
    assert kept(steward) == {"video.mp4": b"ftyp note"}


@_FLOWS_OWN
@pytest.mark.commands
async def test_a_command_can_work_with_a_file_that_was_sent(steward: Steward) -> None:
    steward.script(calls(tool("run_command", {"command": "wc -l inbox/a.csv"})), text("Two."))
    await steward.start()
    steward.attach(CSV, "a.csv", "How many lines?")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Two.")
    (result,) = results_in(await steward.asked(2)).values()
    assert "2 inbox/a.csv" in result


async def test_hostile_names_stay_in_the_inbox(steward: Steward) -> None:
    names = ["../../x", "a\x00b.csv", "x" * 300 + ".csv", "\u202egpj.exe", "📊.txt", "CON", ".env"]
    safe = ["x", "a\ufffdb.csv", "x" * 116 + ".csv", "gpj.exe", "📊.txt", "_CON", "env"]
    steward.script(*(text(f"Seen {n}.") for n in range(len(names))))
    await steward.start()
    for number, name in enumerate(names):
        steward.attach(CSV, name)
        await steward.sees(f"Seen {number}.")
    assert sorted(kept(steward)) == sorted(safe)
    assert [path.name for path in steward.workspace.iterdir()] == ["inbox"]


@_FLOWS_OWN
async def test_a_link_planted_in_place_of_the_inbox_leads_nowhere(steward: Steward) -> None:
    outside = steward.folder / "outside"
    outside.mkdir()
    (steward.workspace / "inbox").symlink_to(outside)
    steward.script(text("Read."))
    await steward.start()
    steward.attach(CSV, "a.csv")
    await steward.sees("Read.")
    await steward.sees(NOT_KEPT)
    words = words_in(await steward.asked(1))
    assert 'not_kept="inbox: a part of the path is not a folder, or is a link' in words
    assert "a;b\n1;2" in words
    assert held(outside) == {}


@_FLOWS_OWN
async def test_a_full_inbox_is_told_in_one_sentence(steward: Steward) -> None:
    steward.script(text("One."), text("Two."))
    await steward.start(STEWARD_INBOX_FILES=1)
    steward.attach(CSV, "a.csv")
    await steward.sees("One.")
    steward.attach(CSV, "b.csv")
    await steward.sees("Two.")
    told = await steward.sees(NOT_KEPT)
    assert '"b.csv"' in told.text
    assert "inbox/ is full: it holds 1 files" in told.text
    assert list(kept(steward)) == ["a.csv"]


async def test_killed_whenever_a_file_appears_each_message_leaves_one(steward: Steward) -> None:
    count = 5
    steward.model.script.rule(lambda _: text("Seen."))
    await steward.start()
    for number in range(count):
        steward.attach(b"%d" % number, "a.csv", f"n{number}")
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


async def test_killed_between_the_download_and_the_row_it_is_kept_once(steward: Steward) -> None:
    steward.script(text("Read."))
    await steward.start()
    gate = steward.way.hold_file()
    steward.attach(CSV, "a.csv")
    await gate.arrived()
    with steward.records.locked():
        gate.release()
        await steward.until(lambda: steward.way.fetched)
        await steward.kill()
    await steward.start()
    await steward.sees("Read.")
    assert kept(steward) == {"a.csv": CSV}


async def test_files_of_a_group_are_kept_in_its_folder(steward: Steward) -> None:
    team = steward.team()
    steward.script(text("Read."))
    await steward.start()
    steward.attach(CSV, "a.csv", "read this", at=team, called=True)
    await steward.sees("Read.", at=team)
    (folder,) = (steward.workspace / "chats").iterdir()
    assert held(folder / "inbox") == {"a.csv": CSV}
    assert kept(steward) == {}


@_FLOWS_OWN
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
    steward.attach(CSV, "a.csv", "Keep this")
    await steward.sees("Kept.")
    (steward.workspace / "inbox" / "a.csv").rename(steward.workspace / "copy.csv")
    steward.say("/new")
    await steward.sees("fresh")
    (steward.workspace / "note.md").unlink()
    steward.say("Read the copy and write the note")
    card = await steward.card()
    assert "a file that somebody sent (“copy.csv”)" in card.text
    steward.press(card, APPROVE)
    await steward.sees("Done.")
