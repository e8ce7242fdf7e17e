"""A second plan in a chat: asked about once, and the first is dropped only by who may."""

import asyncio
from dataclasses import replace

from bot.domain.change import InboundState
from bot.domain.plans.plan import Plan, PlanState
from bot.domain.plans.template import Argument, Template
from bot.domain.talk.person import Role
from bot.domain.talk.reach import Level
from bot.domain.talk.rights import Pace
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody
from bot.flow.approvals.desks import NOT_OURS, NOT_YOURS
from bot.flow.commands.plan_replacing import MOVED_ON
from bot.flow.plans.commands import NEWER
from tests.fakes.channel import Shown
from tests.fakes.model import Gate, calls, says
from tests.scenarios.stage import ANN, BOB, Stage, stage
from tests.scenarios.test_plan_commands import said
from tests.scenarios.test_plans import button, submit, write
from tests.scenarios.tools import submitting, writing
from tests.words import (
    DECIDED_ALREADY,
    KEEP,
    KEPT,
    NO_READY_MADE,
    OTHER_PLAN_ENDED,
    REPLACE,
    REPLACED,
    STEPS_RUN,
    TOO_MANY,
)

ONE = (calls(write("a", "1")), says("One."))
TWO = (calls(write("b", "2")), says("Two."))
REPORT = Template("report", "A report.", (Argument("folder"),), "1. Write from {{folder}}")


def plans(scene: Stage) -> list[tuple[PlanState, str]]:
    """Each plan with what was asked for it, as the model read it."""
    return [(p.state, p.wish) for p in scene.store.rows.plans.values()]


def live(scene: Stage) -> Plan:
    return next(p for p in scene.store.rows.plans.values() if p.live)


def wishes(scene: Stage) -> list[str]:
    return [body.text for body in scene.bodies if isinstance(body, AskerBody)]


async def question(scene: Stage, text: str = "/plan another file") -> Shown:
    """One plan is ready and another is asked for: the card about that."""
    await scene.say("/plan one file")
    await scene.settled(1)
    return await asked(scene, text)


async def asked(scene: Stage, text: str) -> Shown:
    await scene.say(text)
    return await scene.until(lambda: the_question(scene))


def the_question(scene: Stage) -> Shown | None:
    return next((s for s in scene.cards if "There is a plan already" in s.text), None)


async def test_a_second_plan_asks_and_replaces_the_first_once_when_told() -> None:
    async with stage(*ONE, *TWO, tools=[writing(), submitting()]) as scene:
        card = await question(scene)
        assert "being made" not in card.text
        assert "Replace it with “another file”?" in card.text
        labels = [b["label"] for row in card.piece.body["buttons"] for b in row]
        assert labels == [REPLACE, KEEP]
        first, data = live(scene), button(card, "Replace")
        assert await scene.press_data(data) == REPLACED
        assert DECIDED_ALREADY in await scene.press_data(data)
        await scene.settled(2)
        told = await scene.press_data(button(card, "Keep"))
        assert told == f"{DECIDED_ALREADY}: replaced the old plan."
        assert [state for state, _ in plans(scene)] == [PlanState.CANCELLED, PlanState.READY]
        assert live(scene).id != first.id
        assert wishes(scene) == ["one file", "another file"]
        assert REPLACED in scene.channel.screen[card.id].text
        assert len(scene.cards) == 1, "the card of the new plan"
        assert len(scene.turns) == 2
        scene.assert_whole()


async def test_a_plan_that_is_kept_is_kept() -> None:
    async with stage(*ONE, tools=[writing(), submitting()]) as scene:
        card = await question(scene)
        assert await scene.press("Keep") == KEPT
        told = await scene.press_data(button(card, "Replace"))
        assert told == f"{DECIDED_ALREADY}: the old plan stays."
        assert plans(scene) == [(PlanState.READY, "")]
        assert scene.channel.screen[card.id].text == KEPT
        assert wishes(scene) == ["one file"]
        assert len(scene.turns) == 1


async def test_a_newer_wish_closes_the_question_about_the_one_before() -> None:
    async with stage(*ONE, *TWO, tools=[writing(), submitting()]) as scene:
        card = await question(scene)
        old = button(card, "Replace")
        await scene.say("/plan a third file")
        newer = await scene.until(lambda: next((s for s in scene.cards if "third" in s.text), None))
        closed = scene.channel.screen[card.id]
        assert (closed.text, "buttons" in closed.piece.body) == (NEWER, False)
        assert DECIDED_ALREADY in await scene.press_data(old)
        assert await scene.press_data(button(newer, "Replace")) == REPLACED
        await scene.settled(2)
        assert wishes(scene) == ["one file", "a third file"]
        assert [row.state for row in scene.store.rows.inbox.values()].count(InboundState.ASKED) == 0


async def test_the_question_outlives_the_program() -> None:
    async with stage(*ONE, *TWO, tools=[writing(), submitting()]) as scene:
        card = await question(scene)
        await scene.crash()
        await scene.start()
        assert len(scene.turns) == 1, "what is asked about does not begin by itself"
        assert await scene.press_data(button(card, "Replace")) == REPLACED
        await scene.settled(2)
        assert wishes(scene) == ["one file", "another file"]


async def test_who_may_not_decide_changes_nothing() -> None:
    team = ((ANN, Role.MEMBER), (BOB, Role.MEMBER))
    async with stage(*ONE, tools=[writing(), submitting()], people=team) as scene:
        await scene.grant(ANN, Level.CHANGES)
        card = await question(scene)
        data = button(card, "Replace")
        assert await scene.press_data(data, BOB) == NOT_YOURS
        assert await scene.press_data(button(card, "Keep"), BOB) == NOT_YOURS
        assert await scene.press_data(data.replace(live(scene).token, "forged")) == NOT_OURS
        assert await scene.press_data(data.replace(":r", ":x")) == NOT_OURS
        assert plans(scene) == [(PlanState.READY, "")]
        assert the_question(scene) is not None
        await scene.say("/plan my own file", BOB)
        await scene.shows("That plan is not yours.")
        assert len(scene.store.rows.plans) == 1


async def test_a_plan_that_has_moved_on_is_asked_about_anew() -> None:
    revised = (calls(write("c", "3"), submit()),)
    async with stage(*ONE, *revised, *TWO, tools=[writing(), submitting()]) as scene:
        card = await question(scene)
        await scene.say("better", reply_to=scene.cards[0])
        await scene.settled(2)
        assert await scene.press_data(button(card, "Replace")) == MOVED_ON
        assert live(scene).revision == 2
        again = await scene.until(
            lambda: next((s for s in scene.cards if "plan already: " in s.text), None)
        )
        await scene.until(lambda: "Two files" in scene.channel.screen[again.id].text)
        renewed = scene.channel.screen[again.id]
        assert await scene.press_data(button(renewed, "Replace")) == REPLACED
        await scene.settled(3)
        assert wishes(scene)[-1] == "another file"


async def test_when_the_old_plan_has_ended_the_new_one_just_begins() -> None:
    async with stage(*ONE, *TWO, tools=[writing(), submitting()]) as scene:
        card = await question(scene)
        await said(scene, "/plan cancel", "Cancelled.")
        told = await scene.press_data(button(card, "Replace"))
        assert told == OTHER_PLAN_ENDED
        await scene.settled(2)
        assert wishes(scene) == ["one file", "another file"]
        assert live(scene).state is PlanState.READY


async def test_a_plan_that_is_carried_out_is_not_replaced() -> None:
    gate = asyncio.Event()
    tool = replace(writing(), gate=gate)
    script = (*ONE, calls(write("x", "1")), says("Done."))
    async with stage(*script, tools=[tool, submitting()]) as scene:
        card = await question(scene)
        await scene.press("Approve", card=0)
        await tool.started.wait()
        told = await scene.press_data(button(card, "Replace"))
        assert told == STEPS_RUN
        await said(scene, "/plan a third", "Its steps are under way. /stop ends that first")
        await said(scene, "/plan replace a third", "Its steps are under way.")
        gate.set()
        await scene.settled(2)
        assert plans(scene) == [(PlanState.DONE, "")]


async def test_replacing_a_plan_that_is_collected_stops_the_collecting() -> None:
    gate = Gate()
    async with stage(gate, *TWO, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await gate.reached()
        card = await asked(scene, "/plan another file")
        assert await scene.press_data(button(card, "Replace")) == REPLACED
        await scene.settled(2)
        assert scene.turns[0].stop_reason is StopReason.USER_CANCELLED
        assert wishes(scene) == ["one file", "another file"]
        assert [state for state, _ in plans(scene)] == [PlanState.CANCELLED, PlanState.READY]


async def test_a_plan_replaced_by_word_stops_its_collecting_too() -> None:
    gate = Gate()
    async with stage(gate, *TWO, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await gate.reached()
        await scene.say("/plan replace another file")
        await scene.settled(2)
        assert scene.turns[0].stop_reason is StopReason.USER_CANCELLED
        assert live(scene).state is PlanState.READY


async def test_plan_mode_alone_can_take_the_place_too() -> None:
    async with stage(*ONE, *TWO, tools=[writing(), submitting()]) as scene:
        card = await question(scene, "/plan on")
        assert "Replace it with a new one?" in card.text
        await scene.press_data(button(card, "Replace"))
        await scene.until(lambda: "Plan mode is on, for" in scene.channel.screen[card.id].text)
        assert live(scene).collecting
        await scene.say("another file")
        await scene.settled(2)
        assert live(scene).state is PlanState.READY
        rows = scene.store.rows.inbox.values()
        assert all(row.state is not InboundState.ASKED for row in rows)


async def test_a_template_can_take_the_place_and_one_that_is_not_there_drops_nothing() -> None:
    async with stage(*ONE, *TWO, tools=[writing(), submitting()]) as scene:
        scene.templates.known["report"] = REPORT
        card = await question(scene, "/plan use report notes")
        assert "Replace it with “use report notes”?" in card.text
        await scene.press_data(button(card, "Replace"))
        await scene.settled(2)
        assert "1. Write from notes" in wishes(scene)[1]
        card = await asked(scene, "/plan use report letters")
        del scene.templates.known["report"]
        assert "no ready-made plan" in await scene.press_data(button(card, "Replace"))
        assert live(scene).state is PlanState.READY
        assert the_question(scene) is None


async def test_replace_takes_a_template_plan_mode_or_a_wish_with_all_its_lines() -> None:
    async with stage(*ONE, *TWO, *TWO, tools=[writing(), submitting()]) as scene:
        scene.templates.known["report"] = REPORT
        await scene.say("/plan replace one file\nand no other")
        await scene.settled(1)
        await said(scene, "/plan replace use nothing", f"{NO_READY_MADE} `nothing`.")
        await scene.say("/plan replace use report notes")
        await scene.settled(2)
        await said(scene, "/plan replace on", "Plan mode is on, for one plan.")
        assert live(scene).collecting
        await scene.say("/plan replace on the wall")
        await scene.settled(3)
        first, second, third = wishes(scene)
        assert first == "one file\nand no other"
        assert "1. Write from notes" in second
        assert third == "on the wall"


async def test_a_wish_over_the_pace_is_declined_and_the_plan_stays() -> None:
    team = ((ANN, Role.MEMBER),)
    async with stage(*ONE, tools=[writing(), submitting()], people=team) as scene:
        await scene.grant(ANN, Level.CHANGES)
        card = await question(scene)
        rows = scene.store.rows
        ann = rows.people[live(scene).asker]
        rows.people[ann.id] = replace(ann, pace=Pace(hour=1))
        assert await scene.press_data(button(card, "Replace")) == TOO_MANY
        await scene.until(lambda: TOO_MANY in scene.channel.screen[card.id].text)
        assert live(scene).state is PlanState.READY
