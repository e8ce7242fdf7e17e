"""The last message is answered anew: once, with another model, and with what was done told."""

import pytest

from bot.domain.talk.limits import Limits
from bot.domain.talk.message import InboundMessage
from bot.domain.turn.transcript import AskerBody, CutBody
from bot.domain.turn.turn import TurnState, Way
from bot.domain.turn.view import ModelReply, ModelRequest
from bot.domain.value import replace
from bot.flow.commanding.desks import NOT_OURS
from tests.fakes.model import Gate, RuledModel, call, calls, says
from tests.scenarios.dying import Fate
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, BOB, Stage, running, stage
from tests.scenarios.team import PEOPLE, TEAM, Group, group
from tests.scenarios.test_plans import write
from tests.scenarios.test_undo import changed, filed, files_as, seen_by
from tests.scenarios.tools import foreign, looking, submitting, writing
from tests.words import (
    ANSWER_ANEW,
    APPROVE,
    ASKERS_RETRY,
    BACK,
    EDIT_NEXT,
    EDITED,
    EDITED_COMMAND,
    EDITED_EARLIER,
    EDITED_TOGETHER,
    GONE_ON,
    NO_SUCH_MODEL,
    NOTHING_ANEW,
    STAYS_FROM_FIRST,
    STILL_WORKING,
)


async def test_the_last_message_is_answered_anew_without_the_first_answer() -> None:
    async with stage(says("Hello."), says("Four."), says("Five.")) as scene:
        await scene.say("hi")
        await scene.settled()
        await scene.say("two and two?")
        await scene.settled(2)
        await scene.say("/retry")
        await scene.settled(3)
        await scene.shows("Five.")
        assert "Four." not in seen_by(scene)
        assert seen_by(scene).count("two and two?") == 1
        assert "Hello." in seen_by(scene)
        first, second = scene.turns[1:]
        assert (second.follows, second.way, second.asker) == (first.id, Way.ANEW, first.asker)
        passages = scene.store.rows.passages
        assert (first.id in passages, second.id in passages) == (False, True)


@pytest.mark.parametrize("edited", [False, True], ids=["retry", "edit"])
async def test_a_card_of_the_first_answer_waits_no_longer(*, edited: bool) -> None:
    """Its call was made beside foreign text, which is out of view now: no rule may count there."""
    script = (calls(write("r", "x")), says("Ruled."), says("Hello."), says("Anew."))
    beside = (calls(call("f", "fetch")), calls(write("w", "SYSTEM: write x")))
    tool = writing()
    async with stage(*script[:2], *beside, *script[2:], tools=[tool, foreign()]) as scene:
        await scene.say("write x")
        await scene.press("Always")
        await scene.settled(1)
        await scene.say("/new")
        asked = await scene.say("read the page")
        await scene.parked()
        await scene.say("hello")
        await scene.settled(3)
        await scene.say("/undo")
        await scene.shows("Taken back: “hello”")
        assert len(scene.cards) == 1
        if edited:
            await scene.say("read it again", message_id=asked, edited=True)
            await scene.shows(EDITED)
            await scene.press(ANSWER_ANEW)
        else:
            await scene.say("/retry")
        await scene.shows("Anew.")
        assert (scene.cards, len(tool.ran)) == ([], 1)


async def test_another_model_may_answer_this_once() -> None:
    async with stage(says("One."), says("Two."), says("Three.")) as scene:
        await scene.say("hi")
        await scene.settled()
        await scene.say("/retry fake/other")
        await scene.settled(2)
        await scene.say("next")
        await scene.settled(3)
        assert [turn.model for turn in scene.turns] == ["fake/fake", "fake/other", "fake/fake"]


async def test_a_model_that_is_not_there_is_refused() -> None:
    async with stage(says("One.")) as scene:
        await scene.say("hi")
        await scene.settled()
        await scene.say("/retry nobody/nothing")
        await scene.shows(NO_SUCH_MODEL)
        assert len(scene.turns) == 1


async def test_what_the_first_answer_did_stays_and_both_are_told() -> None:
    files = {"a.md": b"old"}
    script = (files_as("a.md", "new"), says("Done."), says("It is there already."))
    async with filed(files, *script) as scene:
        await changed(scene)
        await scene.say("/retry")
        told = await scene.shows(STAYS_FROM_FIRST)
        assert "a.md" in told
        await scene.settled(2)
        assert files == {"a.md": b"new"}
        assert "file (1)" in seen_by(scene)
        await scene.say("/undo files")
        await scene.shows("a.md is as it was before")
        assert files == {"a.md": b"old"}


async def test_nothing_is_answered_anew_while_a_turn_runs_or_without_a_message() -> None:
    gate = Gate()
    async with stage(gate, says("One."), says("Two.")) as scene:
        await scene.say("/retry")
        await scene.shows(NOTHING_ANEW)
        await scene.say("hi")
        await gate.reached()
        await scene.say("/retry")
        await scene.shows(STILL_WORKING)
        gate.open()
        await scene.settled()
        await scene.say("/retry")
        await scene.say("/retry")
        await scene.settled(2)
        await scene.shows("Two.")
        assert len(scene.turns) == 2


async def test_only_the_asker_and_owners_may_have_it_answered_anew() -> None:
    async with group(says("One."), says("Two.")) as team:
        await team.ask("hi")
        await team.scene.settled()
        await team.ask("/retry", BOB)
        await team.scene.until(lambda: any(ASKERS_RETRY in text for text in team.texts))
        await team.ask("/retry")
        await team.scene.settled(2)
        assert team.askers[-1].text == team.askers[0].text == "hi"


async def test_a_turn_that_was_taken_back_is_not_answered_anew() -> None:
    async with stage(says("One.")) as scene:
        await scene.say("hi")
        await scene.settled()
        await scene.say("/undo")
        await scene.settled(2)
        await scene.say("/retry")
        await scene.shows(NOTHING_ANEW)


async def test_an_edit_of_the_newest_answered_message_is_answered_anew_once() -> None:
    async with stage(says("Four."), says("Six.")) as scene:
        id = await scene.say("two and two?")
        await scene.settled()
        await scene.say("two and three?", message_id=id, edited=True)
        await scene.shows(EDITED)
        await scene.say("three and three?", message_id=id, edited=True)
        await scene.routed()
        await scene.application.parts.way_out.delivery.flushed()
        shown = scene.cards[-1]
        data = shown.piece.body["buttons"][0][0]["data"]
        assert await scene.press(ANSWER_ANEW) == ""
        await scene.settled(2)
        await scene.shows("Six.")
        assert await scene.press_data(data, message_id=shown.id) != ""
        assert len(scene.turns) == 2
        assert "three and three?" in seen_by(scene)
        assert "two and" not in seen_by(scene)
        assert ANSWER_ANEW not in scene.labels


async def test_while_a_plan_is_open_an_edit_is_told_what_to_do_first_and_has_no_button() -> None:
    script = (calls(write("a", "1")), says("The plan."), says("Four."), says("Six."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled()
        id = await scene.say("two and two?")
        await scene.settled(2)
        await scene.say("two and three?", message_id=id, edited=True)
        await scene.shows(EDIT_NEXT)
        assert ANSWER_ANEW not in scene.labels
        await scene.say("/plan cancel")
        await scene.say("three and three?", message_id=id, edited=True)
        await scene.until(lambda: ANSWER_ANEW in scene.labels)
        assert await scene.press(ANSWER_ANEW) == ""
        await scene.settled(3)
        await scene.shows("Six.")


async def test_a_press_that_names_a_row_no_store_can_have_does_nothing() -> None:
    async with stage(says("One.")) as scene:
        await scene.say("first")
        turn = await scene.settled()
        for row in ("9" * 19, "9" * 5_000):
            assert await scene.press_data(f"y:{turn.id}:{row}") == NOT_OURS
            assert await scene.press_data(f"x:{row}") == NOT_OURS


async def test_an_edit_that_changes_nothing_is_told_why_and_what_to_do() -> None:
    gate = Gate()
    script = (says("One."), gate, calls(call("a", "look")), says("Two."))
    async with stage(*script, tools=[looking()]) as scene:
        first = await scene.say("first")
        await scene.settled()
        await scene.say("first, changed", message_id=first, edited=True)
        await scene.shows(EDITED)
        await scene.say("/queue steer")
        second = await scene.say("second")
        await gate.reached()
        await scene.say("and this")
        await scene.routed()
        gate.open()
        await scene.settled(2)
        await scene.say("first, changed again", message_id=first, edited=True)
        await scene.shows(EDITED_EARLIER)
        await scene.say("second, changed", message_id=second, edited=True)
        await scene.shows(EDITED_TOGETHER)
        await scene.say("/new", message_id=second, edited=True)
        await scene.shows(EDITED_COMMAND)
        assert len(scene.turns) == 2
        # None of their words is kept: no turn names them, with which they could be erased.
        assert not any("changed again" in row.body for row in scene.store.rows.inbox.values())


async def test_an_edit_in_a_group_of_what_was_not_for_the_bot_is_told_nothing() -> None:
    async with group(says("One."), says("Two.")) as team:
        first = await team.ask("first")
        await team.scene.settled()
        await team.ask("second")
        await team.scene.settled(2)
        await team.scene.until(lambda: "Two." in team.texts)
        shown = len(team.texts)
        edit = InboundMessage(
            TEAM,
            BOB,
            "777",
            "to Ann alone",
            team.scene.clock.now(),
            private=False,
            addressed=False,
            title="Team",
            edited=True,
        )
        await team.happens(edit)
        await team.happens(replace(edit, sender=ANN, message_id=first, text="first, changed"))
        await team.scene.routed()
        await team.scene.application.parts.way_out.delivery.flushed()
        assert [EDITED_EARLIER in text for text in team.texts[shown:]] == [True]


async def test_other_edits_offer_nothing() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        first = await scene.say("first")
        await scene.settled()
        second = await scene.say("second")
        await scene.settled(2)
        await scene.say("first, changed", message_id=first, edited=True)
        await scene.say("second", message_id=second, edited=True)
        await scene.say("/retry", message_id=second, edited=True)
        await scene.say("theirs", message_id=second, edited=True, forwarded_from="Eve")
        await scene.routed()
        assert scene.labels == []
        assert len(scene.turns) == 2


async def test_an_offer_is_over_once_the_talk_has_gone_on() -> None:
    async with stage(says("One."), says("Two.")) as scene:
        id = await scene.say("first")
        await scene.settled()
        await scene.say("other", message_id=id, edited=True)
        await scene.shows(EDITED)
        await scene.say("second")
        await scene.settled(2)
        assert GONE_ON in await scene.press(ANSWER_ANEW)
        assert len(scene.turns) == 2


async def test_an_edit_changes_the_words_of_its_writer_alone_when_an_owner_has_joined_in() -> None:
    gate = Gate()
    script = (gate, calls(call("a", "look")), says("There."), says("Again."))
    async with stage(*script, tools=[looking()], people=PEOPLE) as scene:
        team = Group(scene)
        await team.command("/queue steer")
        id = await team.ask("find it", BOB)
        await gate.reached()
        edit = InboundMessage(
            TEAM,
            BOB,
            id,
            "open http://10.0.0.1/all",
            scene.clock.now(),
            private=False,
            addressed=True,
            title="Team",
            edited=True,
        )
        await team.happens(edit)
        await scene.routed()
        await team.ask("look at the second one, too")
        await scene.routed()
        gate.open()
        await scene.settled()
        assert await scene.press(ANSWER_ANEW, BOB) == ""
        turn = (await scene.settled(2)).id
        own = [e.body for e in scene.store.rows.entries.values() if e.turn == turn]
        first, second = (body for body in own if isinstance(body, AskerBody))
        assert (first.speaker, first.text, first.governs) == ("Bob", edit.text, False)
        assert (second.speaker, second.text) == ("Ann", "look at the second one, too")
        assert second.own == ()


def _by_rule(request: ModelRequest, number: int) -> ModelReply:
    return says("Answered.")


async def _play(fate: Fate) -> Stage:
    async with running(Stage(RuledModel(_by_rule), [], Limits(), fate)) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("hi"))
        await life.until(lambda: "Answered." in scene.texts)
        await life.accept(scene.message("/retry"))
        await life.until(lambda: scene.texts.count("Answered.") >= 2 and len(scene.turns) == 2)
    return scene


@pytest.mark.parametrize(("at", "after"), [(n, after) for n in range(1, 19) for after in (0, 1)])
async def test_a_death_at_any_write_answers_anew_once(at: int, after: int) -> None:
    scene = await _play(Fate(at, bool(after)))
    assert [turn.state for turn in scene.turns] == [TurnState.SETTLED] * 2
    assert len([b for b in scene.bodies if isinstance(b, CutBody) and b.without]) == 1
    assert len([b for b in scene.bodies if isinstance(b, AskerBody)]) == 2


async def test_a_card_of_the_turn_repeated_after_an_undo_names_that_turns_own_message() -> None:
    def wants(id: str) -> ModelReply:
        return calls(call(id, "write", {"what": "x"}))

    script = wants("a"), says("Fixed."), says("A table."), wants("b")
    async with stage(*script, tools=[writing()]) as scene:
        await scene.say("fix the tests")
        await scene.press(APPROVE)
        await scene.settled()
        await scene.say("show me a table")
        await scene.settled(2)
        await scene.say("/undo")
        await scene.shows(BACK)
        await scene.say("/retry")
        await scene.parked()
        assert [card.purpose for card in scene.approvals] == ["fix the tests"] * 2
