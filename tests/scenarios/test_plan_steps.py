"""An approved plan: its steps run, fail, are skipped, and are taken up again."""

import asyncio
from dataclasses import replace

from bot.domain.plans.plan import PlanState, StepState
from bot.domain.talk.limits import Limits
from bot.domain.tools.run_place import Walls
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import NoteBody
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import stage
from tests.scenarios.test_plans import button, plan_card, the_plan, write
from tests.scenarios.tools import burning, foreign, looking, risky, submitting, writing
from tests.words import (
    APPROVED,
    DANGEROUS_STEP,
    DECIDED_ALREADY,
    FIRST_FAILED_ASKS,
    FIRST_STEP_FAILED,
    NOT_FINISHED,
    ONE_WAITS_ABOVE,
    OUTCOME_UNKNOWN,
    PLAN_ENDED,
    PLAN_OF_ONE_DONE,
    RESUME,
    RETRY,
    SKIP,
    STEP_DENIED,
    STOP,
)


async def test_an_approved_plan_runs_each_step_once_without_asking_and_says_so() -> None:
    tool = writing()
    script = (
        calls(write("a", "1"), write("b", "2")),
        says("This is the plan."),
        calls(write("c", "1")),
        calls(write("d", "2")),
        says("Both are there."),
    )
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan make two files")
        await scene.settled(1)
        assert scene.texts[0] == "This is the plan."
        assert await scene.press("Approve") == APPROVED
        await scene.settled(2)
        assert [a["what"] for a in tool.ran] == ["1", "2"]
        assert the_plan(scene).state is PlanState.DONE
        told = plan_card(scene).text.split("\n\n")
        assert told[1:] == ["✓ 1. Do write 1", "✓ 2. Do write 2", "✅ Done"]
        assert scene.texts[-1] == "Both are there."
        assert scene.approvals == []
        note = [b for b in scene.bodies if isinstance(b, NoteBody) and b.purpose == "plan"][-1]
        assert '1. write {"what":"1"}' in note.text
        actions = [a.action for a in scene.store.rows.audit if a.action.startswith("plan.")]
        assert actions.count("plan.ready") == 1
        assert actions.count("plan.approved") == 1
        assert actions.count("plan.step") == 2


async def test_the_end_is_told_below_the_answer_where_the_card_lies_far_above() -> None:
    script = (
        calls(write("a", "1")),
        says("This is the plan."),
        says("Fine."),
        calls(write("c", "1")),
        says("It is there."),
    )
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan make a file")
        await scene.settled(1)
        await scene.say("How are you?")
        await scene.settled(2)
        await scene.press("Approve")
        await scene.settled(3)
        assert PLAN_ENDED in plan_card(scene).text
        assert scene.texts[-1] == f"It is there.\n\n📋 {PLAN_OF_ONE_DONE}"


async def test_a_call_that_is_not_in_the_plan_asks_and_so_does_a_step_made_twice() -> None:
    tool = writing()
    script = (
        calls(write("a", "1")),
        says("The plan."),
        calls(write("b", "1"), write("c", "1"), write("d", "other")),
        says("Done."),
    )
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.parked()
        assert [a["what"] for a in tool.ran] == ["1"]
        asking = [a.call.id for a in scene.approvals]
        assert asking == ["c", "d"]
        await scene.press("Deny", card=-1)
        await scene.press("Deny", card=-1)
        await scene.settled(2)
        assert the_plan(scene).state is PlanState.DONE
        assert len(tool.ran) == 1


async def test_a_dangerous_step_is_marked_and_asks_again_when_its_turn_comes() -> None:
    fire = burning()
    script = (
        calls(call("a", "burn", {"what": "it"})),
        says("The plan."),
        calls(call("b", "burn", {"what": "it"})),
        says("Then not."),
    )
    async with stage(*script, tools=[fire, submitting()]) as scene:
        await scene.say("/plan burn it")
        await scene.settled(1)
        assert "1. ⚠️ Do burn it" in scene.cards[0].text
        await scene.press("Approve")
        await scene.parked()
        assert DANGEROUS_STEP in scene.cards[-1].text
        await scene.press("Deny", card=-1)
        await scene.settled(2)
        assert fire.ran == []
        plan = the_plan(scene)
        assert (plan.state, plan.steps[0].state) == (PlanState.CANCELLED, StepState.SKIPPED)
        assert "None of its steps ran" in scene.texts[-1]


async def test_the_plan_tells_a_denied_step_in_the_words_of_the_person() -> None:
    burn = call("b", "burn", {"what": "it"})
    script = (
        calls(write("a", "1"), burn),
        says("Plan."),
        calls(write("c", "1"), burn),
        says("One."),
    )
    async with stage(*script, tools=[writing(), burning(), submitting()]) as scene:
        await scene.say("/plan write and burn")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.parked()
        await scene.say("not today", reply_to=scene.cards[-1])
        await scene.settled(2)
        assert f"⏭ 2. Do burn it — {STEP_DENIED}" in plan_card(scene).text


async def test_an_answer_tells_that_a_plan_waits_above_until_it_is_decided() -> None:
    script = (calls(write("a", "1")), says("Plan."), says("Four."), says("Five."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan a file")
        await scene.settled(1)
        await scene.say("two and two?")
        await scene.settled(2)
        assert scene.texts[-1] == f"Four.\n\n{ONE_WAITS_ABOVE}"
        await scene.press("Cancel")
        await scene.say("two and three?")
        await scene.settled(3)
        assert scene.texts[-1] == "Five."


async def test_foreign_content_in_view_leaves_the_literal_steps_approved() -> None:
    tool = writing()
    script = (
        calls(write("a", "1")),
        says("The plan."),
        calls(call("f", "fetch")),
        calls(write("b", "1")),
        says("Done."),
    )
    async with stage(*script, tools=[tool, foreign(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.settled(2)
        assert len(tool.ran) == 1
        assert scene.approvals == []


async def test_the_turn_that_carries_a_plan_out_may_do_no_more_than_those_that_planned_it() -> None:
    script = (
        calls(call("f", "fetch")),
        calls(write("a", "1")),
        says("The plan."),
        calls(write("b", "1")),
    )
    async with stage(*script, tools=[writing(), foreign(), submitting()]) as scene:
        scene.walls = Walls.CLOSED
        await scene.say("/plan one file")
        await scene.settled(1)
        scene.walls = Walls.NONE
        await scene.press("Approve")
        await scene.parked()
        assert "Step 1 of the approved plan" in scene.texts[-1], "the walls were higher"
        planned, carried_out = scene.turns
        assert carried_out.mandate.within(planned.mandate)
        assert carried_out.mandate == planned.mandate.narrowed(
            foreign=the_plan(scene).mandate.foreign
        )
        assert carried_out.mandate.foreign is not None, "its words were written beside a page"


async def test_a_failed_step_waits_and_retry_runs_it_again() -> None:
    tool = risky()
    script = (
        calls(write("a", "1"), write("b", "2")),
        says("The plan."),
        calls(write("c", "1"), write("d", "2")),
        calls(write("e", "1"), write("f", "2")),
        says("Both at last."),
    )
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan two files")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.settled(2)
        assert [a["what"] for a in tool.ran] == ["1"]
        assert scene.texts[-1] == f"{FIRST_STEP_FAILED} The plan's card asks you what to do."
        card = plan_card(scene)
        assert "✗ 1. Do write 1 — 1 broke\n\n" in card.text
        assert FIRST_FAILED_ASKS in card.text
        assert card.text.count("1 broke") == 1
        labels = [b["label"] for row in card.piece.body["buttons"] for b in row]
        assert labels == [RETRY, SKIP, STOP]
        data = button(card, RETRY)
        assert await scene.press_data(data) == "Trying again."
        assert DECIDED_ALREADY in await scene.press_data(data)
        await scene.settled(3)
        assert [a["what"] for a in tool.ran] == ["1", "1", "2"]
        assert the_plan(scene).state is PlanState.DONE
        scene.assert_whole()


async def test_a_skipped_step_is_left_out_and_told() -> None:
    tool = risky()
    script = (
        calls(write("a", "1"), write("b", "2")),
        says("The plan."),
        calls(write("c", "1")),
        calls(write("d", "2")),
        says("One of two."),
    )
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan two files")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.settled(2)
        assert await scene.press("Skip") == "Skipped."
        await scene.settled(3)
        assert the_plan(scene).state is PlanState.PARTLY_DONE
        assert scene.texts[-1] == "One of two.", "only words that point to the card stand between"
        assert "✅ Done, 1 step skipped" in plan_card(scene).text
        assert "⏭ 1. Do write 1 — skipped; 1 broke" in plan_card(scene).text


async def test_a_stop_at_a_failed_step_ends_the_plan_truthfully() -> None:
    script = (calls(write("a", "1"), write("b", "2")), says("The plan."), calls(write("c", "1")))
    async with stage(*script, tools=[risky(), submitting()]) as scene:
        await scene.say("/plan two files")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.settled(2)
        assert await scene.press("Stop") == "Stopped."
        await scene.application.parts.way_out.delivery.flushed()
        assert the_plan(scene).state is PlanState.PARTLY_DONE
        assert "✗ 1. Do write 1 — 1 broke\n\n⏹ 2. Do write 2 — not run" in plan_card(scene).text
        assert scene.cards == []


async def test_stop_while_it_runs_ends_turn_and_plan() -> None:
    gate = asyncio.Event()
    tool = replace(writing(), gate=gate)
    script = (calls(write("a", "1"), write("b", "2")), says("The plan."), calls(write("c", "1")))
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan two files")
        await scene.settled(1)
        await scene.press("Approve")
        await tool.started.wait()
        await scene.say("/stop")
        await scene.settled(2)
        plan = the_plan(scene)
        assert plan.state is PlanState.PARTLY_DONE
        assert plan.steps[0].outcome.startswith(OUTCOME_UNKNOWN)
        assert scene.turns[1].stop_reason is StopReason.USER_CANCELLED
        scene.assert_whole()


async def test_a_model_that_merely_stops_leaves_a_plan_to_resume() -> None:
    tool = writing()
    script = (
        calls(write("a", "1"), write("b", "2")),
        says("The plan."),
        calls(write("c", "1")),
        says("I stop here."),
        calls(write("d", "2")),
        says("All of it."),
    )
    async with stage(*script, tools=[tool, submitting()]) as scene:
        await scene.say("/plan two files")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.settled(2)
        assert the_plan(scene).state is PlanState.EXECUTING
        assert scene.texts[-1] == "I stop here.", "the card in view tells the rest"
        assert NOT_FINISHED in plan_card(scene).text
        assert "⏳" not in plan_card(scene).text
        assert await scene.press(RESUME) == "Going on."
        await scene.settled(3)
        assert the_plan(scene).state is PlanState.DONE


async def test_a_plan_whose_steps_have_all_run_offers_no_stop() -> None:
    gate = asyncio.Event()
    look = replace(looking(), gate=gate)
    script = (
        calls(write("a", "1")),
        says("The plan."),
        calls(write("b", "1")),
        calls(call("r", "look")),
        says("Done."),
    )
    async with stage(*script, tools=[writing(), look, submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.press("Approve")
        await look.started.wait()
        await scene.until(lambda: "1 of 1 step done" in plan_card(scene).text)
        assert scene.cards == []
        gate.set()
        await scene.settled(2)


async def test_a_message_while_a_step_asks_sets_the_plan_aside_and_resume_goes_on() -> None:
    fire = burning()
    script = (
        calls(call("a", "burn", {"what": "it"})),
        says("The plan."),
        calls(call("b", "burn", {"what": "it"})),
        says("Four."),
        calls(call("c", "burn", {"what": "it"})),
        says("Burnt."),
    )
    async with stage(*script, tools=[fire, submitting()]) as scene:
        await scene.say("/plan burn it")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.parked()
        await scene.say("what is two and two?")
        await scene.settled(3)
        assert the_plan(scene).state is PlanState.EXECUTING
        assert [a.state.value for a in scene.approvals] == ["cancelled"]
        assert await scene.press("Resume") == "Going on."
        await scene.parked()
        await scene.press("Approve", card=-1)
        await scene.settled(4)
        assert len(fire.ran) == 1
        assert the_plan(scene).state is PlanState.DONE


async def test_an_execution_that_runs_out_of_rounds_can_be_resumed() -> None:
    script = (
        calls(write("a", "1")),
        says("The plan."),
        *(calls(call(f"r{n}", "look")) for n in range(3)),
    )
    limits = Limits(plan_rounds=1)
    async with stage(*script, tools=[writing(), looking(), submitting()], limits=limits) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.press("Approve")
        await scene.settled(2)
        assert scene.turns[1].stop_reason is StopReason.MAX_ROUNDS
        assert the_plan(scene).state is PlanState.EXECUTING
        labels = [b["label"] for row in scene.cards[0].piece.body["buttons"] for b in row]
        assert labels == [RESUME, STOP]
        assert NOT_FINISHED in plan_card(scene).text
