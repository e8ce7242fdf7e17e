"""What a skill asks to do unasked, allowed by one press or key, in the real program."""

from pathlib import Path

import pytest

from tests.e2e.launching import Command
from tests.e2e.skills import put, use
from tests.e2e.steward import Steward, results_in
from tests.e2e.test_approvals import write
from tests.e2e.test_plans_terminal import chat, left, shown
from tests.e2e.test_skills import final, run
from tests.words import ALLOW, APPROVE, DENY, INCLUDES_THIS, NO_RULES, SANDBOXED, SCRIBE_ALLOWED

_FLOWS_OWN = pytest.mark.flows_own("the grant is a row of the store")

HEAD = "allowed-tools: Bash(git:*) Bash(ls:*) Bash(npm:*), Write(notes/**), Read WebFetch\n"


def asking(steward: Steward) -> int:
    """How many cards have been opened."""
    return len(steward.records.rows("SELECT id FROM approval"))


@pytest.mark.commands
@pytest.mark.usefixtures("sandboxed")
async def test_one_press_allows_what_a_skill_asks_for_until_the_skill_is_laid_down(
    steward: Steward,
) -> None:
    put(steward, "scribe", HEAD)
    steward.script(use("scribe"), run("ls"), run("ls -a"), write("notes/a.md"), final("Done."))
    await steward.start()
    steward.say("Look around and write")
    card = await steward.card()
    listed = card.text.partition("wants to do this without asking, while it is in use here:")[2]
    assert [line for line in listed.splitlines() if line.startswith("•")] == [
        "• Run `git`, where it only reads (describe, log, ls-tree, rev-parse, shortlog)",
        "• Run `ls …`",
        "• Write documents in notes/",
    ]
    assert SANDBOXED in listed
    assert INCLUDES_THIS in listed
    await steward.recorded()
    await steward.restart()
    steward.press(card, ALLOW)
    await steward.sees("Done.")
    decided = await steward.sees("✅ Ran ls")
    assert SCRIBE_ALLOWED in decided.text
    assert decided.buttons == ()
    assert (steward.workspace / "notes" / "a.md").read_text() == "content"
    assert asking(steward) == 1
    (line,) = steward.records.rows("SELECT subject FROM audit WHERE action = 'skill.allowed'")
    assert line == ("scribe",)
    await steward.restart()
    steward.script(write("notes/b.md"), write("notes/b.sh"), final("And that."))
    steward.say("Write more")
    program = await steward.card()
    assert "notes/b.sh" in program.text
    assert "wants to do this without asking" not in program.text
    steward.press(program, DENY)
    await steward.sees("And that.")
    assert (steward.workspace / "notes" / "b.md").exists()
    steward.say("/rules")
    await steward.sees("Write documents in notes/, while the skill scribe is in use")
    steward.script(use("none"), write("notes/c.md"), final("Enough."))
    steward.say("Lay it down and write")
    steward.press(await steward.card(), DENY)
    await steward.sees("Enough.")
    assert steward.records.rows("SELECT id FROM rule") == []


@pytest.mark.commands
@pytest.mark.usefixtures("sandboxed")
@_FLOWS_OWN
async def test_the_press_for_a_call_that_is_not_among_them_leaves_its_card(
    steward: Steward,
) -> None:
    put(steward, "scribe", HEAD)
    steward.script(use("scribe"), run("touch here"), run("ls"), final("Done."))
    await steward.start()
    steward.say("Go")
    card = await steward.card()
    assert "This call still asks." in card.text
    told = await steward.notified(steward.press(card, ALLOW))
    assert told.endswith("This call still waits.")
    await steward.until(lambda: "asks to run" not in steward.shown[-1].text)
    assert not (steward.workspace / "here").exists()
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Done.")
    assert "here" in next(iter(results_in(steward.model.requests[-1]).values()))
    assert asking(steward) == 1


@pytest.mark.flows_own("the grant ends with its file")
async def test_a_change_of_the_skills_file_ends_what_was_allowed(steward: Steward) -> None:
    put(steward, "scribe", HEAD)
    steward.script(write("notes/a.md"), final("One."), write("notes/b.md"), final("Two."))
    await steward.start()
    steward.say("/skill scribe")
    await steward.sees("is on from your next message")
    steward.say("Write")
    steward.press(await steward.card(), ALLOW)
    await steward.sees("One.")
    put(steward, "scribe", HEAD, body="Do it otherwise.")
    await steward.eventually(lambda: "skills changed" in steward.output)
    steward.say("Write again")
    card = await steward.card()
    assert "wants to do this without asking" in card.text
    assert steward.records.rows("SELECT id FROM rule") == []
    steward.press(card, DENY)
    await steward.sees("Two.")


@pytest.mark.commands
@pytest.mark.usefixtures("sandboxed")
def test_a_key_allows_it_in_the_terminal(tmp_path: Path, command: Command) -> None:
    folder = tmp_path / "data" / "skills" / "parrot"
    folder.mkdir(parents=True)
    told = "---\nname: parrot\ndescription: Echoes.\nallowed-tools: Bash(echo:*)\n---\nEcho.\n"
    (folder / "SKILL.md").write_text(told)
    talk = chat(tmp_path, command)
    talk.sendline("/skill parrot")
    shown(talk, "parrot is on from your next message")
    talk.sendline("run a command")
    shown(talk, "The skill parrot wants to do this without asking")
    shown(talk, ALLOW)
    talk.sendline("l")
    shown(talk, "Allowed while the skill parrot", "exit code 0")
    left(talk)
    # What was allowed holds in the next life of the program too.
    talk = chat(tmp_path, command)
    talk.sendline("run a command")
    shown(talk, "exit code 0")
    assert "🔐" not in str(talk.before)
    talk.sendline("/rules")
    shown(talk, "while the skill parrot is in use")
    talk.sendline("/skill off")
    shown(talk, "parrot is off.")
    talk.sendline("/rules")
    shown(talk, NO_RULES)
    talk.sendline("run a command")
    shown(talk, "[y] ✅ Approve")
    talk.sendline("n")
    shown(talk, "That was not approved")
    left(talk)
