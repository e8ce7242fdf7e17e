"""Notes: taken unasked and undone by a button, told once a conversation, deleted on agreement."""

import json
from datetime import timedelta

from bot.domain.change import Change, KeepPassage
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.note import Note
from bot.domain.talk.message import OutboundKind
from bot.domain.turn.transcript import RecallBody
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import BOB, HOME, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.test_background import seen
from tests.scenarios.test_memory import afresh, indexed
from tests.words import NOTHING_TO_SEND

NUTS = "Ann is allergic to nuts."
NOTED = calls(call("n", "remember", {"note": NUTS}))


def notes(scene: Stage) -> list[Note]:
    return list(scene.store.rows.notes.values())


def kinds(scene: Stage) -> list[OutboundKind]:
    """The kinds of the messages with buttons."""
    rows = scene.store.rows.outbox.values()
    return [row.content.kind for row in rows if row.content.buttons]


async def test_a_note_is_taken_unasked_shown_and_undone() -> None:
    async with stage(NOTED, says("I will.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        assert scene.approvals == []
        assert [note.text for note in notes(scene)] == [NUTS]
        await scene.shows("📝 Noted: Ann is allergic to nuts.")
        assert OutboundKind.OPTION in kinds(scene), "without a key there is no way back"
        await scene.press("Undo")
        await scene.shows("The note is deleted.")
        assert notes(scene) == []
        assert not any(NUTS in text for text in scene.texts)


async def test_notes_open_a_conversation_once_and_a_deleted_one_is_told() -> None:
    async with stage(NOTED, says("I will."), says("Soup."), says("Bread."), says("Cake.")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        await afresh(scene)
        await scene.say("What shall I cook?")
        await scene.settled(2)
        await scene.say("And else?")
        await scene.settled(3)
        first, second = (request.messages for request in scene.model.requests[2:])
        assert second[: len(first)][0] == first[0]
        assert seen(scene.model.requests[3]).count(NUTS) == 1
        assert [b.passages for b in scene.bodies if isinstance(b, RecallBody)] == [
            (f"note:{notes(scene)[0].id}",)
        ]
        await scene.say("/memory")
        await scene.press("1")
        await scene.press("🗑 Delete")
        await scene.shows("Delete this note? I cannot bring it back.")
        assert notes(scene), "the first press only asks"
        await scene.press("🗑 Delete")
        await scene.shows("The note is deleted.")
        await scene.say("And for Bob?")
        await scene.settled(4)
        assert "hold no longer" in seen(scene.model.requests[4])


async def test_foreign_text_in_view_plants_no_note_without_a_card() -> None:
    async with stage(NOTED, says("Fine.")) as scene:
        await scene.say("Do as it says", forwarded_from="Eve")
        await scene.parked()
        assert notes(scene) == []
        (card,) = scene.approvals
        assert card.state is ApprovalState.OPEN
        await scene.press("Approve")
        await scene.settled()
        assert [note.text for note in notes(scene)] == [NUTS]


async def test_a_note_is_forgotten_only_on_agreement() -> None:
    async with stage(NOTED, says("I will."), says("x")) as scene:
        await scene.say("Remember that I am allergic to nuts")
        await scene.settled()
        await scene.say("x")
        await scene.settled(2)
        (note,) = notes(scene)
    forget = calls(call("f", "forget", {"note": note.id}))
    async with stage(forget, says("Gone.")) as scene:
        scene.store.rows.notes[note.id] = note
        await scene.say("Forget the nuts")
        await scene.parked()
        assert NUTS in scene.cards[-1].text
        await scene.press("Approve")
        await scene.settled()
        assert notes(scene) == []


async def test_the_number_of_a_note_in_the_list_shows_it() -> None:
    async with stage() as scene:
        for n in range(12):
            note = Note(f"{n:012x}", "p1", f"fact {n}", scene.clock.now() + timedelta(n), 1)
            scene.store.rows.notes[note.id] = note
        await scene.say("/memory notes 2")
        assert "- 11: fact 1\n- 12: fact 0" in await scene.shows("My notes, page 2")
        await scene.say("/memory 12")
        await scene.shows("📝 fact 0")
        assert {"✏️ Change", "🗑 Delete"} <= set(scene.labels)
        await scene.say("/memory delete 12")
        await scene.shows("Delete this note? I cannot bring it back.")
        assert len(notes(scene)) == 12
        await scene.say("/memory 13")
        await scene.shows("I remember nothing about “13”.")


async def test_recall_searches_notes_and_answers_and_marks_what_is_foreign() -> None:
    look = calls(call("r", "recall", {"query": "gerbil"}))
    async with stage(says("A gerbil."), look, says("Yes."), look, says("No.")) as scene:
        await scene.say("Look at the gerbil", forwarded_from="Eve")
        await scene.settled()
        await afresh(scene)
        await scene.say("Do you know?")
        await scene.settled(2)
        (result,) = scene.results
        assert "answer: A gerbil." in result.text
        assert "Eve" in (result.untrusted or "")
        await scene.say("/memory gerbil")
        await scene.shows("→ A gerbil.")
        await scene.say("/memory quince")
        await scene.shows("I remember nothing about “quince”.")
        await scene.say("/new")
        scene.store.rows.passages.clear()
        await scene.say("And now?")
        await scene.settled(3)
        assert scene.results[-1].text.startswith("Nothing earlier has such words.")


async def test_recall_cuts_around_the_words_and_leaves_out_what_knows_nothing() -> None:
    filler = "Nothing in this sentence helps anybody at all. " * 60
    answers = ("I don't know what the gerbil eats.", f"{filler}The gerbil eats oats.{filler}")
    look = calls(call("r", "recall", {"query": "what does the gerbil eat"}))
    async with stage(*map(says, answers), look, says("Oats.")) as scene:
        for number in (1, 2):
            await scene.say("What does the gerbil eat?")
            await scene.settled(number)
            await afresh(scene)
        await scene.say("And now?")
        await scene.settled(3)
        (result,) = scene.results
        assert "The gerbil eats oats." in result.text
        assert "I don't know" not in result.text


async def test_a_note_that_tells_what_somebody_does_not_know_is_recalled() -> None:
    noted = calls(call("n", "remember", {"note": "I do not know any Italian."}))
    look = calls(call("r", "recall", {"query": "Italian"}))
    async with stage(noted, says("Noted."), look, says("None.")) as scene:
        await scene.say("Remember what I do not speak")
        await scene.settled()
        await indexed(scene)
        await scene.say("Which menu should I order?")
        await scene.settled(2)
        assert "any Italian" in scene.results[-1].text


async def test_in_a_group_the_note_of_another_is_foreign_and_stays_for_its_writer() -> None:
    async with group(NOTED, says("I will."), says("Hi.")) as team:
        scene = team.scene
        await team.ask("remember nuts")
        await scene.settled()
        (note,) = notes(scene)
        assert note.whose == f"c{scene.turns[0].chat}"
        await team.ask("/new")
        await scene.until(lambda: len(scene.store.rows.conversations) > 1)
        await team.ask("hello", BOB)
        await scene.settled(2)
        (body,) = [b for b in scene.bodies if isinstance(b, RecallBody)]
        assert body.writers == ((note.person, "a note of Ann"),)


async def test_in_a_group_the_model_deletes_no_note_of_another_for_a_member() -> None:
    forget = calls(call("f", "forget", {"note": "a"}))
    async with group(says("Hi."), forget, says("I may not."), forget, says("Gone.")) as team:
        scene = team.scene
        await team.ask("hello", BOB)
        await scene.settled()
        at, owner = scene.clock.now(), f"c{scene.turns[0].chat}"
        scene.store.rows.notes["a"] = Note("a", owner, NUTS, at, 1, "Ann")
        await team.ask("forget the nuts", BOB)
        await scene.settled(2)
        assert "the person whose note it is" in scene.results[-1].text
        assert [note.text for note in notes(scene)] == [NUTS]
        await team.ask("forget the nuts")
        await scene.parked()
        await scene.press("Approve")
        await scene.settled(3)
        assert notes(scene) == []


async def test_ten_thousand_notes_open_a_conversation_within_their_budget() -> None:
    async with stage(says("Hi.")) as scene:
        at = scene.clock.now()
        for n in range(10_000):
            note = Note(f"n{n}", "p1", f"note {n} " + "x" * 400, at, 1)
            scene.store.rows.notes[note.id] = note
        await scene.say("Hello")
        await scene.settled()
        (body,) = [b for b in scene.bodies if isinstance(b, RecallBody)]
        assert len(body.text) < 2_500
        await scene.say("/memory")
        assert "n0" not in await scene.shows("My notes, page 1, the newest first:")
        await scene.press("Older ▸")
        await scene.shows("My notes, page 2, the newest first:")
        await scene.press("◂ Newer")
        await scene.shows("My notes, page 1, the newest first:")
        await scene.say("/memory notes 1000")
        await scene.shows("My notes, page 1000, the newest first:")
        await scene.say("/memory notes 999999")
        await scene.shows("There are no older notes.")
        await scene.say("/forget all")
        await scene.press("Erase")
        await scene.shows("Erased.")
        assert scene.store.rows.notes == {}


async def test_an_old_note_that_is_recalled_among_many_is_not_told_to_be_deleted() -> None:
    async with stage(says("Hi."), says("In the shed."), says("Yes."), says("No.")) as scene:
        at = scene.clock.now()
        old = Note("old", "p1", "The unicycle stands in the shed.", at - timedelta(days=9), 1)
        scene.store.rows.notes["old"] = old
        chat = await scene.store.chats.at(HOME, private=True)
        await scene.store.journal.commit(Change((KeepPassage(old.as_passage(chat)),)))
        for n in range(300):
            scene.store.rows.notes[f"n{n}"] = Note(f"n{n}", "p1", f"note {n} " + "x" * 90, at, 1)
        await scene.say("Hello")
        await scene.settled()
        await indexed(scene)
        await scene.say("Where is the unicycle?")
        await scene.settled(2)
        assert old.text in seen(scene.model.requests[-1])
        await scene.say("Is it still there?")
        await scene.settled(3)
        assert "hold no longer" not in seen(scene.model.requests[-1])
        await scene.say("/memory undo old")
        await scene.shows("The note is deleted.")
        await scene.say("And now?")
        await scene.settled(4)
        assert "hold no longer: old." in seen(scene.model.requests[-1])


async def test_people_take_with_them_what_was_said_and_noted() -> None:
    async with stage(NOTED, says("I will."), says("Soup.")) as scene:
        await scene.say("Remember the nuts")
        await scene.settled()
        await afresh(scene)
        await scene.say("/about I cook.")
        await scene.shows("I use it from")
        await scene.say("What shall I cook?")
        await scene.settled(2)
        await scene.say("/export")
        await scene.shows("Here is everything we said in private")
        (pages,) = scene.packing.packed.values()
        lines = [json.loads(line) for page in pages for line in page.lines.splitlines()]
        told = [(line["kind"], line["text"]) for line in lines]
        assert told[:2] == [("about", "I cook."), ("note", NUTS)]
        assert sorted(told[2:]) == [
            ("answer", "I will."),
            ("answer", "Soup."),
            ("message", "Remember the nuts"),
            ("message", "What shall I cook?"),
        ]
        markdown = "".join(page.markdown for page in pages)
        assert "**Steward**, 2026-11-02 12:00 UTC\n\nSoup." in markdown


async def test_an_export_tells_people_their_own_time_and_programs_utc() -> None:
    async with stage(says("Soup.")) as scene:
        await scene.say("/timezone Asia/Tokyo")
        await scene.shows("Asia/Tokyo")
        await scene.say("What shall I cook?")
        await scene.settled()
        await scene.say("/export")
        await scene.shows("Here is everything we said in private")
        ((page,),) = scene.packing.packed.values()
        assert "**Steward**, 2026-11-02 21:00 Asia/Tokyo\n\nSoup." in page.markdown
        assert [json.loads(line)["at"] for line in page.lines.splitlines()] == [
            "2026-11-02T12:00:00+00:00"
        ] * 2


async def test_people_take_with_them_what_the_memory_does_not_keep() -> None:
    async with stage(says("Soup.")) as scene:
        await scene.say("What shall I cook?")
        await scene.settled()
        scene.store.rows.passages.clear()
        await scene.say("/export")
        await scene.shows("Here is everything we said in private")
        ((page,),) = scene.packing.packed.values()
        told = [json.loads(line)["text"] for line in page.lines.splitlines()]
        assert told == ["What shall I cook?", "Soup."]


async def test_without_a_word_said_there_is_nothing_to_export() -> None:
    async with stage() as scene:
        await scene.say("/export")
        await scene.shows(NOTHING_TO_SEND)
        assert not any(row.content.files for row in scene.store.rows.outbox.values())


async def test_a_note_is_listed_among_what_runs_without_asking() -> None:
    async with stage() as scene:
        await scene.say("/tools")
        told = await scene.shows("`remember`")
        assert told.index("`remember`") < told.index("**Asks first**") < told.index("`forget`")
