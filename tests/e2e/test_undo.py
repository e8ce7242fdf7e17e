"""Changes of real files and whole turns are taken back, across SIGKILL and on every channel."""

from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.steward import KEY, Steward, words_in
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import MessagesApi, Reply, calls, text, tool
from tests.standins.serving import serving
from tests.words import (
    ALWAYS_IN,
    APPROVE,
    BACK,
    CHANGED_SINCE,
    DONE_ALREADY,
    PUT_BACK_ANYWAY,
    READY,
    REDO,
    RULED_IN_NOTES,
    SUMMARISED,
    UNDO,
    UNDONE,
    UNSUMMED,
)

_FLOWS_OWN = pytest.mark.flows_own("the file is on the disk, and the press has arrived")


def write(path: str, content: str) -> Reply:
    return calls(tool("write_file", {"path": path, "content": content}))


async def approved(steward: Steward, *replies: Reply, words: str = "Change it") -> None:
    steward.script(*replies)
    steward.say(words)
    steward.press(await steward.card(), APPROVE)


@pytest.mark.shared
@_FLOWS_OWN
async def test_a_real_file_is_as_before_with_its_mode_and_changed_again(steward: Steward) -> None:
    file = steward.workspace / "notes.txt"
    file.write_bytes(b"old \xff\n")
    file.chmod(0o640)
    await steward.start()
    await approved(steward, write("notes.txt", "new"), text("It is new."))
    await steward.sees("It is new.")
    card = await steward.sees("notes.txt replaced")
    await steward.recorded()
    await steward.restart()
    first = steward.press(card, UNDO)
    await steward.sees(UNDONE)
    assert await steward.answered(first) == ""
    assert file.read_bytes() == b"old \xff\n"
    assert file.stat().st_mode & 0o7777 == 0o640
    second = steward.press(card, UNDO)
    assert await steward.notified(second) == DONE_ALREADY
    steward.press(await steward.sees(UNDONE), REDO)
    await steward.until(lambda: not steward.showing(UNDONE))
    assert file.read_text() == "new"


@_FLOWS_OWN
async def test_a_summary_that_was_taken_back_stays_so_after_a_death(steward: Steward) -> None:
    steward.script(text("Your dog is called Rex."), text("- They have a dog."), text("Again: Rex."))
    await steward.start()
    steward.say("My dog is called Rex")
    await steward.sees("Your dog is called Rex.")
    steward.say("/compact")
    await steward.sees(SUMMARISED)
    steward.say("/undo")
    await steward.sees(UNSUMMED)
    await steward.recorded()
    await steward.restart()
    steward.say("What is it called?")
    await steward.sees("Again: Rex.")
    asked = str(steward.model.requests[-1].body)
    assert "My dog is called Rex" in asked
    assert "- They have a dog." not in asked


@_FLOWS_OWN
async def test_a_deleted_file_comes_back_and_a_created_one_goes(steward: Steward) -> None:
    old, new = steward.workspace / "old.sh", steward.workspace / "in" / "new.txt"
    old.write_text("#!/bin/sh\n")
    old.chmod(0o750)
    await steward.start()
    both = calls(
        tool("delete_file", {"path": "old.sh"}),
        tool("write_file", {"path": "in/new.txt", "content": "x"}),
    )
    steward.script(both, text("Both done."), text("I see."))
    steward.say("Tidy up")
    steward.press(await steward.card(2), APPROVE)
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Both done.")
    assert not old.exists()
    steward.say("/undo")
    steward.press(await steward.sees(BACK), "↩ Undo the 2 changes")
    await steward.sees("old.sh is back")
    assert old.read_text() == "#!/bin/sh\n"
    assert old.stat().st_mode & 0o7777 == 0o750
    assert not new.exists()
    steward.say("What now?")
    await steward.sees("I see.")
    assert "Tidy up" not in words_in(steward.model.requests[-1])


@_FLOWS_OWN
async def test_a_link_that_took_the_place_of_the_file_is_not_followed(steward: Steward) -> None:
    outside = steward.home / "outside.txt"
    file = steward.workspace / "notes.txt"
    file.write_text("old")
    await steward.start()
    await approved(steward, write("notes.txt", "new"), text("It is new."))
    await steward.sees("It is new.")
    outside.write_text("new")
    file.unlink()
    file.symlink_to(outside)
    steward.press(await steward.sees("notes.txt replaced"), UNDO)
    await steward.sees("✗ notes.txt")
    assert outside.read_text() == "new"
    assert file.is_symlink()


async def test_what_changed_since_is_shown_beside_what_it_would_be(steward: Steward) -> None:
    file = steward.workspace / "notes.txt"
    file.write_text("one\nold\n")
    await steward.start()
    await approved(steward, write("notes.txt", "one\nnew\n"), text("It is new."))
    await steward.sees("It is new.")
    file.write_text("one\nmine\n")
    steward.press(await steward.sees("notes.txt replaced"), UNDO)
    asked = await steward.sees(CHANGED_SINCE)
    assert "-mine" in asked.text
    assert "+old" in asked.text
    assert file.read_text() == "one\nmine\n"
    await steward.recorded()
    steward.press(asked, PUT_BACK_ANYWAY)
    await steward.sees("as it was before")
    assert file.read_text() == "one\nold\n"


@_FLOWS_OWN
@pytest.mark.parametrize("after_work", [False, True])
async def test_a_kill_around_the_press_puts_the_file_back_once(
    steward: Steward, after_work: bool
) -> None:
    file = steward.workspace / "notes.txt"
    file.write_text("old")
    await steward.start()
    await approved(steward, write("notes.txt", "new"), text("It is new."))
    await steward.sees("It is new.")
    card = await steward.sees("notes.txt replaced")
    await steward.recorded()
    steward.foreseen.append("message is not modified")
    answering = steward.way.hold_acknowledgement(after_work=after_work)
    steward.press(card, UNDO)
    await answering.arrived()
    await steward.restart()
    await steward.sees(UNDONE)
    assert file.read_text() == "old"
    rows = steward.records.rows("SELECT undone, flips FROM file_change")
    assert rows == [(1, 1)]


async def test_undo_in_the_terminal_offers_the_changes_by_key(
    tmp_path: Path, command: Command
) -> None:
    model = MessagesApi(api_key=KEY)
    file = tmp_path / "data" / "workspace" / "notes.txt"
    file.parent.mkdir(parents=True)
    file.write_text("old")
    model.script.add(write("notes.txt", "new"), text("It is new."))
    async with serving(model.app) as url:
        access = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": url}
        talk = Terminal(tmp_path, "chat", columns=100, rows=40, command=command, environ=access)
        try:
            await talk.shows(READY)
            talk.say("Change it")
            await talk.shows(f"[y] {APPROVE}")
            talk.say("y")
            await talk.shows("It is new.")
            talk.say("/undo")
            await talk.shows(BACK, "[u] ↩ Undo the change")
            talk.say("u")
            await talk.shows("as it was before")
            assert file.read_text() == "old"
            talk.say("/quit")
            assert await talk.ended() == 0
        finally:
            talk.close()


async def test_a_change_that_a_rule_allowed_has_a_button_that_takes_it_back(
    steward: Steward,
) -> None:
    file = steward.workspace / "notes" / "b.md"
    await steward.start()
    steward.script(write("notes/a.md", "a"), text("One."), write("notes/b.md", "b"), text("Two."))
    steward.say("Note a")
    steward.press(await steward.card(), f"{ALWAYS_IN}notes/")
    await steward.sees("One.")
    steward.say("Note b")
    await steward.sees("Two.")
    told = await steward.sees(RULED_IN_NOTES)
    assert file.read_text() == "b"
    await steward.recorded()
    await steward.restart()
    steward.press(told, "↩ Undo the change")
    await steward.sees("↩ notes/b.md is removed: I had created it")
    assert not file.exists()
    assert (steward.workspace / "notes" / "a.md").read_text() == "a"
