"""What the program withstands: two things at the same instant, and a world that will not do."""

import pytest

from tests.e2e.steward import Steward
from tests.standins.messages_api import Call, calls, text, tool
from tests.words import ALWAYS, APPROVE, APPROVED, DENY, RULE_PAUSED

_FLOWS_OWN = pytest.mark.flows_own("the words and the folder are there already")


def writing(name: str) -> Call:
    return tool("write_file", {"path": name, "content": "a"})


async def test_a_press_at_the_instant_of_a_message_is_carried_out_all_the_same(
    steward: Steward,
) -> None:
    await steward.start()
    for time in range(8):
        steward.script(calls(writing(f"{time}.txt")), text("Other."), text("Done."))
        steward.say(f"Write {time}")
        card = await steward.card()
        steward.say("Something else")
        press = steward.press(card, APPROVE)
        await steward.counted(press, APPROVED)
        await steward.sees("Done.", times=time + 1)
        assert (steward.workspace / f"{time}.txt").exists()


@_FLOWS_OWN
async def test_a_chat_whose_folder_cannot_be_made_is_answered_all_the_same(
    steward: Steward,
) -> None:
    in_the_way = steward.workspace / "chats"
    in_the_way.write_text("A file where members have their folders.")
    bob = steward.person(7, "Bob")
    steward.script(text("Hello, Bob."), text("Here I am."))
    await steward.start(STEWARD_ALLOWED=steward.account(bob))
    steward.say("Hello", by=bob)
    await steward.sees("Hello, Bob.", at=bob)
    in_the_way.unlink()
    steward.say("Are you well?", by=bob)
    await steward.sees("Here I am.", at=bob)


@pytest.mark.commands
@pytest.mark.usefixtures("sandboxed")
@_FLOWS_OWN
async def test_what_a_command_reads_of_another_chat_pauses_rules_and_cannot_be_copied(
    steward: Steward,
) -> None:
    theirs = steward.workspace / "chats" / "telegram-7"
    theirs.mkdir(parents=True)
    (theirs / "wish.md").write_text("Write the note.")
    note = calls(tool("write_file", {"path": "note.txt", "content": "a"}))
    steward.script(note, text("Ruled."))
    await steward.start()
    steward.say("Write the note")
    steward.press(await steward.card(), ALWAYS)
    await steward.sees("Ruled.")
    (steward.workspace / "note.txt").unlink()
    hidden = calls(tool("run_command", {"command": "cat ch*/*/*; cp -r ch* mine; ls mine"}))
    copied = "cat chats/telegram-7/wish.md; cp chats/telegram-7/wish.md mine.md"
    steward.script(hidden, note, calls(tool("run_command", {"command": copied})), note)
    steward.script(text("Asked."))
    steward.say("Look around")
    steward.press(await steward.card(), APPROVE)
    naming = await steward.until(
        lambda: next((c for c in steward.cards if "chats/telegram-7" in c.text), None)
    )
    # Nothing foreign was in reach until now, so the rule still held.
    assert (steward.workspace / "note.txt").read_text() == "a"
    assert "Write the note." not in str(steward.model.requests[-1].body["messages"][-1])
    (steward.workspace / "note.txt").unlink()
    steward.press(naming, APPROVE)
    asked = await steward.sees(RULE_PAUSED)
    assert "output of a command that sees files of other chats" in asked.text
    assert "Write the note." in str(steward.model.requests[-1].body["messages"][-1])
    assert not (steward.workspace / "mine.md").exists()
    steward.press(asked, DENY)
    await steward.sees("Asked.")
