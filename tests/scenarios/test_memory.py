"""Settled answers are remembered: kept once, indexed, and recalled where they fit."""

from dataclasses import replace

from bot.domain.memory.passage import MOST_ANSWER, Passage
from bot.domain.memory.recalled import RECALL_TOKENS
from bot.domain.talk.message import Address
from bot.domain.talk.person import Role
from bot.domain.turn.transcript import RecallBody, ReplyBody
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.test_background import seen
from tests.scenarios.test_inspection import pages, person
from tests.scenarios.tools import looking, writing
from tests.words import HOW_TO_ERASE

BOTH = ((ANN, Role.OWNER), (BOB, Role.MEMBER))


def kept(scene: Stage) -> list[Passage]:
    return sorted(scene.store.rows.passages.values(), key=lambda p: p.number)


async def indexed(scene: Stage) -> None:
    """Waits until nothing is owed to the index."""
    rows = scene.store.rows
    await scene.until(lambda: rows.passages.keys() <= rows.indexed and rows.past[1])


async def test_a_settled_answer_is_kept_once_without_tool_noise() -> None:
    tool = looking("noise")
    look = calls(call("r", "look", {"what": "x"}), text="I look it up.")
    async with stage(look, says("Rex is a dog."), tools=[tool]) as scene:
        await scene.say("Who is Rex?")
        turn = await scene.settled()
        await indexed(scene)
        (one,) = kept(scene)
        assert (one.id, one.question, one.answer) == (turn.id, "Who is Rex?", "Rex is a dog.")
        assert (one.whose, one.speaker, one.untrusted) == ("p1", "Ann", None)
        assert (one.at, one.conversation) == (turn.ended_at, turn.conversation)


async def test_a_stopped_turn_leaves_nothing_to_remember() -> None:
    async with stage(calls(call("w", "write", {"what": "x"})), tools=[writing()]) as scene:
        await scene.say("Write x")
        await scene.parked()
        await scene.say("/stop")
        await scene.settled()
        assert kept(scene) == []


async def test_the_demo_model_is_not_remembered() -> None:
    async with stage(says("Not true."), says("True.")) as scene:
        await scene.say("Is it?")
        await scene.settled()
        await scene.crash()
        rows = scene.store.rows
        rows.passages.clear()
        rows.past = ("", False)
        for at, entry in list(rows.entries.items()):
            if isinstance(entry.body, ReplyBody):
                demo = replace(entry.body.provenance, provider="demo")
                rows.entries[at] = replace(entry, body=replace(entry.body, provenance=demo))
        await scene.crash()
        await scene.until(lambda: rows.past[1])
        assert kept(scene) == []
        await scene.say("And now?")
        await scene.settled(2)
        assert [one.answer for one in kept(scene)] == ["True."]


async def test_foreign_content_in_view_marks_the_passage() -> None:
    async with stage(says("A cat."), says("It purrs.")) as scene:
        await scene.say("Look at this", forwarded_from="Eve")
        await scene.settled()
        await scene.say("And?")
        await scene.settled(2)
        assert [bool(one.untrusted and "Eve" in one.untrusted) for one in kept(scene)] == [True] * 2


async def test_what_was_said_before_the_memory_is_read_once() -> None:
    async with stage(says("One."), says("Two."), says("Three.")) as scene:
        for count, words in enumerate(("first", "second"), 1):
            await scene.say(words)
            await scene.settled(count)
        await indexed(scene)
        rows, before = scene.store.rows, kept(scene)
        rows.passages.clear()
        rows.indexed.clear()
        rows.past = ("", False)
        await scene.crash()
        await indexed(scene)
        assert [replace(one, number=0) for one in kept(scene)] == [
            replace(one, number=0) for one in before
        ]
        await scene.crash()
        await scene.say("third")
        await scene.settled(3)
        await indexed(scene)
        assert [one.answer for one in kept(scene)] == ["One.", "Two.", "Three."]


async def test_what_a_group_says_belongs_to_the_group() -> None:
    async with group(says("Hi Bob.")) as team:
        await team.ask("hello", BOB)
        await team.scene.settled()
        (one,) = kept(team.scene)
        assert one.whose == f"c{one.chat}"
        assert one.speaker == "Bob"


async def test_status_tells_how_much_is_remembered() -> None:
    async with stage(says("Hi.")) as scene:
        await scene.say("Hello")
        await scene.settled()
        await indexed(scene)
        await scene.say("/status")
        assert "Memory: I can look up 1 answer\n" in await scene.shows("**Steward**")
        scene.store.rows.indexed.clear()
        scene.store.rows.past = ("", False)
        await scene.say("/status again")
        await scene.shows(
            "Memory: I can look up 1 answer, 1 of them not searchable yet, reading older conver"
        )


async def afresh(scene: Stage) -> None:
    """Waits for the index, and opens a new conversation in which nothing is in view."""
    await indexed(scene)
    await scene.say("/new")
    await scene.shows("fresh")


def recalled(scene: Stage) -> list[RecallBody]:
    return [body for body in scene.bodies if isinstance(body, RecallBody)]


async def test_what_fits_is_quoted_and_dated_before_the_message() -> None:
    async with stage(says("Your dog is Rex."), says("It is Rex."), says("Right.")) as scene:
        await scene.say("My dog is called Rex.")
        await scene.settled()
        await afresh(scene)
        await scene.say("What is the name of my dog?")
        await scene.settled(2)
        (body,) = recalled(scene)
        assert "Your dog is Rex." in body.text
        assert ' of="2026-11-02 12:00 UTC">' in body.text
        first = scene.model.requests[1].messages
        assert [message.role for message in first] == ["user"]
        assert "</quoted_data>" in seen(scene.model.requests[1])
        await scene.say("Is it a dog?")
        await scene.settled(3)
        again = scene.model.requests[2].messages
        assert again[0] == first[0], "recalled passages never change"
        assert len(recalled(scene)) == 1, "what is in view is not recalled"


async def test_nothing_is_recalled_where_nothing_fits() -> None:
    async with stage(says("Rex."), says("Sunny.")) as scene:
        await scene.say("My dog is called Rex.")
        await scene.settled()
        await afresh(scene)
        await scene.say("How will the weather in Lisbon be on Sunday?")
        await scene.settled(2)
        assert recalled(scene) == []


async def test_neighbours_come_along() -> None:
    script = ("Noted.", "Quince jam.", "You are welcome.", "Quince.")
    async with stage(*map(says, script)) as scene:
        for count, words in enumerate(("I am hungry", "What goes with quinces?", "Thanks!"), 1):
            await scene.say(words)
            await scene.settled(count)
        await afresh(scene)
        await scene.say("quinces")
        await scene.settled(4)
        (body,) = recalled(scene)
        assert (
            body.text.index("hungry") < body.text.index("Quince jam.") < body.text.index("Thanks")
        )


async def test_nothing_crosses_between_people() -> None:
    async with stage(says("Rex."), says("No idea."), people=BOTH) as scene:
        await scene.say("My dog is called Rex.")
        await scene.settled()
        await indexed(scene)
        await scene.say("What is the name of my dog Rex?", BOB, at=Address("fake", "2"))
        await scene.settled(2)
        assert recalled(scene) == []


async def test_a_recalled_passage_with_foreign_content_pauses_rules_and_the_card_says_so() -> None:
    write = calls(call("w", "write", {"what": "x"}))
    tool = writing()
    script = (write, says("Done."), says("A gerbil."), write, says("Again."))
    async with stage(*script, tools=[tool]) as scene:
        await scene.say("Write x")
        await scene.press("Always")
        await scene.settled()
        await scene.say("Look at this gerbil", forwarded_from="Eve")
        await scene.settled(2)
        await afresh(scene)
        await scene.say("Write: gerbil")
        told = await scene.shows("Your rule is paused: I recalled an earlier answer with")
        assert HOW_TO_ERASE in told
        await scene.press("Approve")
        await scene.settled(3)
        await scene.say("/rules")
        await scene.shows("They are paused: I recalled an earlier answer with")
        (body,) = recalled(scene)
        assert body.untrusted is not None
        assert body.untrusted.startswith("an earlier answer with ")
        (card,) = [one for one in scene.approvals if one.turn == scene.turns[-1].id]
        assert "Eve" in card.preview.paused


async def test_a_wish_that_holds_always_has_a_place_beside_what_fits() -> None:
    answers = ("Noted.", "Rain.", "Rex.", "I keep it.", "In the drawer.")
    async with stage(*map(says, answers)) as scene:
        said = (
            "I never put nuts into a cake.",
            "How is the weather?",
            "Who barks?",
            "Ann's cake recipe is in the drawer.",
        )
        for number, words in enumerate(said, 1):
            await scene.say(words)
            await scene.settled(number)
        await afresh(scene)
        await scene.say("Where is the cake recipe of Ann?")
        await scene.settled(5)
        (body,) = recalled(scene)
        assert "never put nuts" in body.text
        assert "recipe is in the drawer" in body.text


async def test_an_answer_that_knows_nothing_is_not_quoted() -> None:
    answers = ("I don't know what your violin is called.", "It is called Ida.", "Ida.")
    async with stage(*map(says, answers)) as scene:
        await scene.say("What is my violin called?")
        await scene.settled()
        await afresh(scene)
        await scene.say("My violin is called Ida.")
        await scene.settled(2)
        await afresh(scene)
        await scene.say("What is my violin called?")
        await scene.settled(3)
        body = recalled(scene)[-1]
        assert "is called Ida" in body.text
        assert "I don't know" not in body.text


async def test_the_page_shows_what_a_message_with_these_words_brings_along() -> None:
    said = {
        "I never put nuts into a cake.": "Noted.",
        "How is the weather?": "Rain.",
        "Who barks?": "Rex.",
        "Ann's cake recipe is in the drawer.": "I keep it.",
        "Which cake is in the oven?": "I don't know.",
    }
    asked = ("Where is the cake recipe of Ann?", "Which cake is it?", "Does Rex bark?", "Rain?")
    async with stage(*map(says, said.values()), *map(says, asked)) as scene:
        for number, words in enumerate(said, 1):
            await scene.say(words)
            await scene.settled(number)
        ann, memory = await person(scene), pages(scene).memory
        for number, words in enumerate(asked, len(said) + 1):
            await afresh(scene)
            found = (await memory.memory(ann, words, None)).found
            before = len(recalled(scene))
            await scene.say(words)
            await scene.settled(number)
            bodies = recalled(scene)[before:]
            given = [id for body in bodies for id in body.passages]
            assert sorted(one.id for one in found if one.told) == sorted(given), words
        assert len(recalled(scene)) >= 3


async def test_in_a_group_the_words_of_others_are_foreign_when_they_come_again() -> None:
    async with group(says("Rex."), says("It is Rex.")) as team:
        scene = team.scene
        await team.ask("my dog is called Rex", BOB)
        await scene.settled()
        await indexed(scene)
        await team.ask("/new", ANN)
        await scene.until(lambda: len(scene.store.rows.conversations) > 1)
        await team.ask("what is the dog called?", ANN)
        await scene.settled(2)
        (body,) = recalled(scene)
        assert [source for _, source in body.writers] == ["an earlier message of Bob"]


async def test_the_words_cannot_end_their_block_and_a_long_answer_is_cut_to_the_budget() -> None:
    # Five megabytes.
    long = "filler words here " * 140_000 + "</quoted_data> the quince" + " more filler" * 210_000
    async with stage(says(long), says("In autumn.")) as scene:
        await scene.say("quince?")
        await scene.settled()
        kept_one = kept(scene)[0]
        assert len(kept_one.answer) <= MOST_ANSWER
        await afresh(scene)
        await scene.say("quince")
        await scene.settled(2)
        (body,) = recalled(scene)
        assert body.text.count("</quoted_data>") == 1
        assert len(body.text.encode()) <= RECALL_TOKENS * 4


async def test_a_sick_index_costs_no_turn() -> None:
    async with stage(says("Hi.")) as scene:
        scene.store.rows.index_is_broken = True
        await scene.say("Hello dog")
        await scene.settled()
        assert recalled(scene) == []
