"""A note that is forgotten by its id is gone everywhere, its call and its record too."""

import pytest

from tests.e2e.steward import Steward
from tests.standins.messages_api import Gate, calls, text, thinking, tool
from tests.words import NOTE_SAYS, WHAT_NOTE

_FLOWS_OWN = pytest.mark.flows_own("notes are rows of the store")

CANARY = "xyzzyplugh"
OTHER = "a line that stays"


async def noted(steward: Steward) -> None:
    """Takes a note beside another call, and opens a conversation with it."""
    steward.script(
        thinking(f"{CANARY}.")
        + calls(
            tool("remember", {"note": f"The word is {CANARY}."}),
            tool("list_directory", {"path": "."}),
        ),
        text(OTHER),
    )
    await steward.start()
    steward.say("Take the word of the day down")
    await steward.sees(OTHER)
    steward.say("/new")
    await steward.sees("fresh start")
    steward.script(text("Good day."))
    steward.say("Good day")
    await steward.sees("Good day.")
    steward.say("/memory")
    await steward.sees("My notes:")
    await steward.recorded()


async def forgotten(steward: Steward) -> set[str]:
    """Forgets the note by its id; returns the columns that still hold its word."""
    [(id,)] = steward.records.rows("SELECT id FROM note")
    steward.say(f"/forget {id}")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    return steward.records.holding(CANARY)


@_FLOWS_OWN
async def test_no_column_holds_a_word_of_a_note_that_is_forgotten_by_its_id(
    steward: Steward,
) -> None:
    await noted(steward)
    held = steward.records.holding(CANARY)
    assert {"audit.details", "entry.body", "note.text", "outbox.content"} <= held
    assert await forgotten(steward) == set()
    assert OTHER in str(steward.records.rows("SELECT body FROM entry")), "the answer stays"
    steward.script(text("Still here."))
    steward.say("Are you there?")
    await steward.sees("Still here.")
    assert CANARY not in str(steward.model.requests[-1].body)


@_FLOWS_OWN
async def test_no_column_holds_the_words_that_a_changed_note_had_before_it_was_forgotten(
    steward: Steward,
) -> None:
    await noted(steward)
    steward.press(await steward.sees("My notes:"), "1")
    change = steward.press(await steward.sees("Noted 20"), "✏️ Change")
    steward.reply(await steward.question(change, WHAT_NOTE), f"Now {CANARY} it is")
    await steward.sees(NOTE_SAYS.format(f"Now {CANARY} it is"))
    await steward.recorded()
    assert await forgotten(steward) == set()


async def test_words_of_edits_and_of_a_denial_go_with_the_answer_they_belong_to(
    steward: Steward,
) -> None:
    gate = Gate()
    write = calls(tool("write_file", {"path": "a.txt", "content": "eggs"}))
    steward.script(text("One.").held(gate), write, text("Two."), text("Three."))
    await steward.start()
    steward.say("First")
    await steward.asked(1)
    waiting = steward.say("Secnd")
    await steward.eventually(lambda: _states(steward) == ["waiting"])
    steward.edit(waiting, f"Second {CANARY}")
    await steward.eventually(lambda: CANARY in str(_bodies(steward, "waiting")))
    gate.release()
    card = await steward.card()
    await steward.recorded()
    steward.say(f"No, {CANARY}!", reply_to=card)
    await steward.sees("Two.")
    steward.say("Third")
    await steward.sees("Three.")
    steward.edit(waiting, f"Too late, {CANARY}")
    await steward.eventually(lambda: len(_bodies(steward, "done")) >= _DONE)
    await steward.recorded()
    [(id,)] = steward.records.rows("SELECT id FROM passage WHERE question LIKE 'Second%'")
    steward.say(f"/forget {id}")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    await steward.recorded()
    assert steward.records.holding(CANARY) == set()


_DONE = 3
"""Updates that are done and opened no turn: two edits, and the words of a denial."""


def _states(steward: Steward) -> list[str]:
    rows = steward.records.rows("SELECT state FROM inbox WHERE turn IS NULL")
    return [state for (state,) in rows]


def _bodies(steward: Steward, state: str) -> list[str]:
    wanted = "SELECT body FROM inbox WHERE state = ? AND turn IS NULL"
    return [body for (body,) in steward.records.rows(wanted, state)]


@pytest.mark.flows_own("notes are rows of the store")
async def test_the_conversation_goes_on_behind_the_call_whose_note_is_forgotten(
    steward: Steward,
) -> None:
    steward.script(
        thinking(f"{CANARY}.") + calls(tool("remember", {"note": f"It is {CANARY}."})), text(OTHER)
    )
    await steward.start()
    steward.say("Take the word down")
    await steward.sees(OTHER)
    stuck = Gate()
    # The turn under way asks again: what it was told holds the note.
    steward.script(text("Slowly.").held(stuck), text("Slowly."))
    steward.say("Take your time")
    await stuck.arrived()
    await steward.recorded()
    [(id,)] = steward.records.rows("SELECT id FROM note")
    steward.say(f"/forget {id}")
    steward.press(await steward.sees("I cannot bring it back"), "🗑 Erase")
    await steward.sees("Erased.")
    stuck.release()
    await steward.sees("Slowly.")
    await steward.restart()
    steward.script(text("Still here."))
    steward.say("Are you there?")
    await steward.sees("Still here.")
    asked = str(steward.model.requests[-1].body["messages"])
    assert CANARY not in asked
    assert "remember" in asked, "the call is not in view any more"
    assert OTHER in asked
    await steward.recorded()
    assert steward.records.holding(CANARY) == set()
