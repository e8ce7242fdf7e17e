"""A note is changed by a button and a reply; an answer in a list is erased by its button."""

from dataclasses import replace

from bot.domain.memory.note import Note
from bot.domain.talk.message import Quote
from bot.domain.turn.transcript import RecallBody
from tests.fakes.channel import Shown
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.test_background import seen
from tests.scenarios.test_memory import afresh, indexed, kept
from tests.scenarios.test_notes import NOTED, NUTS, notes
from tests.words import (
    DELETE_NOTE,
    KEEP,
    NO_SUCH_NOTE,
    NOTE_NEEDS_WORDS,
    NOTE_SAYS,
    NOTE_TOO_LONG,
    NOTE_UNDONE,
    NOTES_OF_OTHERS,
    UNDO,
    WHAT_NOTE,
)

EGGS = "Ann is allergic to eggs."


async def asked(scene: Stage) -> Shown:
    """Presses the button of the only note; returns the message that asks."""
    await scene.say("/memory")
    await scene.press("1")
    await scene.press("✏️ Change")
    return await shown(scene, WHAT_NOTE)


async def shown(scene: Stage, words: str) -> Shown:
    return await scene.until(
        lambda: next((s for s in scene.channel.screen.values() if words in s.text), None)
    )


async def deleted_below_its_change(scene: Stage) -> None:
    await scene.press("🗑 Delete")
    await scene.shows(DELETE_NOTE)
    await scene.press("🗑 Delete")
    await scene.shows("The note is deleted.")


def questions(scene: Stage) -> list[Shown]:
    return [one for one in scene.channel.screen.values() if WHAT_NOTE in one.text]


def rows_but_commands(scene: Stage) -> list[object]:
    """The rows that hold words of notes, without the lists that commands printed."""
    rows = scene.store.rows
    shown_rows = [row for key, row in rows.outbox.items() if not key.startswith("command:")]
    return [*shown_rows, rows.notes, rows.passages]


def words_left(scene: Stage) -> str:
    rows = scene.store.rows
    return str([rows.outbox, rows.notes, rows.passages])


async def test_new_words_take_the_place_of_a_note_and_the_model_hears_of_it() -> None:
    async with stage(NOTED, says("I will."), says("Soup."), says("Bread.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        await afresh(scene)
        await scene.say("What shall I cook?")
        await scene.settled(2)
        question = await asked(scene)
        assert NUTS in question.text
        await scene.say(EGGS, reply_to=question)
        await scene.shows(NOTE_SAYS.format(EGGS))
        (note,) = notes(scene)
        assert (note.text, note.person) == (EGGS, 1)
        assert [one.answer for one in kept(scene) if one.id.startswith("note:")] == [EGGS]
        shown_now = f"noted:{note.id}"
        held = {key for key, row in scene.store.rows.outbox.items() if NUTS in str(row.content)}
        assert {key for key in held if not key.startswith("co")} == {shown_now}
        await scene.say("And else?")
        await scene.settled(3)
        told = seen(scene.model.requests[-1])
        assert told.index(EGGS) < told.index("hold no longer")
        assert len(scene.model.requests) == 4, "the reply is no message for the model"
        await scene.press("✏️ Change")
        await deleted_below_its_change(scene)
        assert notes(scene) == []
        assert EGGS not in words_left(scene)
        assert not any(NUTS in str(row) for row in rows_but_commands(scene))


async def test_undo_brings_the_old_words_back_once_and_keeps_neither_beside_them() -> None:
    async with stage(NOTED, says("I will."), says("Soup."), says("Bread.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        await afresh(scene)
        await scene.say("What shall I cook?")
        await scene.settled(2)
        await scene.say(EGGS, reply_to=await asked(scene))
        told = await scene.shows(NOTE_SAYS.format(EGGS))
        assert f"Before: {NUTS}" in told
        await scene.press(UNDO)
        await scene.shows(NOTE_UNDONE)
        (note,) = notes(scene)
        assert (note.text, note.person) == (NUTS, 1)
        assert not any(EGGS in str(row) for row in rows_but_commands(scene))
        await scene.say("And else?")
        await scene.settled(3)
        newest = seen(scene.model.requests[-1])
        assert newest.index(NUTS) < newest.index("hold no longer")
        await scene.press("✏️ Change")
        await scene.until(lambda: questions(scene)[1:])
        await scene.say("Ann eats everything.", reply_to=questions(scene)[-1])
        await scene.shows(NOTE_SAYS.format("Ann eats everything."))
        await deleted_below_its_change(scene)
        assert not any(NUTS in str(row) for row in rows_but_commands(scene))


async def test_a_changed_note_that_was_kept_after_all_can_still_be_undone() -> None:
    async with stage(NOTED, says("I will.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        await scene.say(EGGS, reply_to=await asked(scene))
        told = await scene.shows(NOTE_SAYS.format(EGGS))
        before = list(scene.labels)
        await scene.press("🗑 Delete")
        assert EGGS in await scene.shows(DELETE_NOTE)
        assert [note.text for note in notes(scene)] == [EGGS]
        await scene.press(KEEP)
        await scene.until(lambda: scene.labels == before)
        assert told in scene.texts
        await scene.press(UNDO)
        await scene.shows(NOTE_UNDONE)
        assert [note.text for note in notes(scene)] == [NUTS]


async def test_bad_words_change_nothing_and_may_be_given_again() -> None:
    async with stage(NOTED, says("I will.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        question = await asked(scene)
        await scene.say("x" * 501, reply_to=question)
        await scene.shows(NOTE_TOO_LONG)
        await scene.say("  ", reply_to=question)
        again = await shown(scene, NOTE_NEEDS_WORDS)
        assert [note.text for note in notes(scene)] == [NUTS]
        await scene.say("*eggs* [x](http://e.xample)", reply_to=again)
        await scene.until(lambda: notes(scene)[0].text != NUTS)
        assert [note.text for note in notes(scene)] == ["*eggs* [x](http://e.xample)"]
        await scene.say("milk", reply_to=question)
        await scene.shows(NO_SUCH_NOTE)
        assert len(notes(scene)) == 1
        assert len(scene.model.requests) == 2


async def test_a_note_that_is_gone_meanwhile_is_not_brought_back() -> None:
    async with stage(NOTED, says("I will.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        question = await asked(scene)
        await scene.press("🗑 Delete")
        await scene.press("🗑 Delete")
        await scene.shows("The note is deleted.")
        assert NUTS not in words_left(scene)
        await scene.say(EGGS, reply_to=question)
        await scene.shows(NO_SUCH_NOTE)
        assert notes(scene) == []


async def test_in_a_group_a_note_is_changed_by_its_writer_or_an_owner() -> None:
    async with group(says("Hi."), says("Hi.")) as team:
        scene = team.scene
        await team.ask("hello", BOB)
        await scene.settled()
        at, owner = scene.clock.now(), f"c{scene.turns[0].chat}"
        scene.store.rows.notes["a"] = Note("a", owner, NUTS, at, 1, "Ann")
        assert "My notes:" in await team.command("/memory", BOB)
        await scene.press("1", BOB)
        assert await scene.press("✏️ Change", BOB) == NOTES_OF_OTHERS
        await scene.press("✏️ Change", ANN)
        question = await shown(scene, WHAT_NOTE)
        quote = Quote(question.text, "Steward", own=True, message_id=question.id)
        await team.ask(EGGS, BOB, quote=quote)
        await scene.settled(2)
        assert [note.text for note in notes(scene)] == [NUTS]
        await team.ask(EGGS, ANN, quote=quote)
        await scene.until(lambda: [note.text for note in notes(scene)] == [EGGS])
        await shown(scene, NOTE_SAYS.format(EGGS))
        await scene.press("✏️ Change", ANN)
        again = await shown(scene, f"Now it says: “{EGGS}”")
        quote = Quote(again.text, "Steward", own=True, message_id=again.id)
        scene.store.rows.notes |= {
            id: replace(note, person=2) for id, note in scene.store.rows.notes.items()
        }
        await team.ask("Rice.", ANN, quote=quote)
        await scene.until(lambda: [note.text for note in notes(scene)] == ["Rice."])
        told = scene.store.rows.outbox[f"noted:{notes(scene)[0].id}"].content
        assert EGGS not in str(told), "words of another person would come back as hers"


async def test_an_answer_in_a_list_is_erased_by_its_button_after_a_question() -> None:
    look = calls(call("n", "remember", {"note": "A gerbil lives here."}))
    async with stage(look, says("A gerbil.")) as scene:
        await scene.say("Look at the gerbil")
        await scene.settled()
        await indexed(scene)
        await scene.say("/memory gerbil")
        told = await scene.shows("→ A gerbil.")
        number = next(line for line in told.splitlines() if "Look at" in line).partition(" ")[0]
        assert "📝 A gerbil lives here." in told
        await scene.press(number.strip("*."))
        await scene.shows("A gerbil.")
        await scene.press("🗑 Erase")
        await scene.shows("I cannot bring it back")
        assert any(one.question == "Look at the gerbil" for one in kept(scene))
        await scene.press("Erase")
        await scene.shows("Erased.")
        assert [one.answer for one in kept(scene)] == ["A gerbil lives here."]
        assert not [b for b in scene.bodies if isinstance(b, RecallBody)]
