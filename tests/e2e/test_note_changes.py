"""A note is changed by a button and a reply, over a death in between, and in the terminal."""

from contextlib import closing
from pathlib import Path

from tests.e2e.launching import Command
from tests.e2e.steward import Steward, words_in
from tests.e2e.terminals import Terminal
from tests.standins.messages_api import MessagesApi, calls, text, tool
from tests.words import DELETE_NOTE, KEEP, NOTE_SAYS, NOTE_UNDONE, READY, UNDO, WHAT_NOTE

NUTS, EGGS = "Ann eats no nuts.", "Ann eats no eggs."


async def test_a_note_is_changed_by_a_reply_that_comes_after_a_death(steward: Steward) -> None:
    steward.script(calls(tool("remember", {"note": NUTS})), text("I will."), text("Soup."))
    await steward.start()
    steward.say("Remember: no nuts")
    await steward.sees("I will.")
    steward.say("/memory")
    steward.press(await steward.sees("My notes:"), "1")
    change = steward.press(await steward.sees("Noted 20"), "✏️ Change")
    question = await steward.question(change, WHAT_NOTE)
    await steward.recorded()
    await steward.restart()
    steward.reply(question, EGGS)
    await steward.sees(NOTE_SAYS.format(EGGS))
    await steward.recorded()
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("What shall I cook?")
    await steward.sees("Soup.")
    asked = words_in(steward.model.requests[2])
    assert EGGS in asked
    assert NUTS not in asked
    rows = steward.records.rows("SELECT key, content FROM outbox WHERE key NOT LIKE 'command:%'")
    held = [key for key, content in rows if NUTS in str(content)]
    assert len(held) == 1, "the old words stand in more than the message about the change"
    assert held[0].startswith("noted:")
    assert "." in held[0]
    await steward.restart()
    steward.press(await steward.sees(NOTE_SAYS.format(EGGS)), UNDO)
    await steward.sees(NOTE_UNDONE)
    assert steward.records.rows("SELECT text FROM note") == [(NUTS,)]
    assert EGGS not in str(steward.records.rows("SELECT content FROM outbox WHERE key LIKE 'n%'"))
    steward.press(await steward.sees(NOTE_UNDONE), "🗑 Delete")
    steward.press(await steward.sees(DELETE_NOTE), KEEP)
    await steward.until(lambda: not steward.showing(DELETE_NOTE))
    steward.press(await steward.sees(NOTE_UNDONE), "🗑 Delete")
    steward.press(await steward.sees(DELETE_NOTE), "🗑 Delete")
    await steward.sees("The note is deleted.")
    assert steward.records.rows("SELECT text FROM note") == []


async def test_in_the_terminal_the_next_words_are_those_of_the_note(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    model.script.add(calls(tool("remember", {"note": NUTS})), text("I will."), text("Soup."))
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("I eat no nuts")
        await talk.shows("I will.")
        talk.say("/memory")
        await talk.shows("[1]")
        talk.say("1")
        await talk.shows("[c] ✏")
        talk.say("c")
        await talk.shows(WHAT_NOTE)
        talk.say(EGGS)
        await talk.shows(NOTE_SAYS.format(EGGS), f"Before: {NUTS}", "[u] ↩")
        talk.say("What shall I cook?")
        await talk.shows("Soup.")
        asked = str((await model.received(3)).body["messages"][-1])
        assert EGGS in asked
        assert "What shall I cook?" in asked
    model.assert_exhausted()


async def test_in_the_terminal_the_question_is_asked_again_after_a_restart(
    tmp_path: Path, model: MessagesApi, access: dict[str, str], command: Command
) -> None:
    model.script.add(calls(tool("remember", {"note": NUTS})), text("I will."), text("Soup."))
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("I eat no nuts")
        await talk.shows("I will.")
        talk.say("/memory")
        await talk.shows("[1]")
        talk.say("1")
        await talk.shows("[c] ✏")
        talk.say("c")
        await talk.shows(WHAT_NOTE)
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY, WHAT_NOTE)
        talk.say(EGGS)
        await talk.shows(NOTE_SAYS.format(EGGS))
        talk.say("/quit")
        assert await talk.ended() == 0
    with closing(Terminal(tmp_path, "chat", command=command, environ=access)) as talk:
        await talk.shows(READY)
        talk.say("What shall I cook?")
        await talk.shows("Soup.")
        assert WHAT_NOTE not in talk.text
    model.assert_exhausted()
