"""The commands of plans, and ready-made ones."""

from bot.domain.plans.plan import PlanState
from bot.domain.plans.template import Argument, Template
from bot.domain.talk.reach import Level
from bot.domain.turn.transcript import AskerBody
from bot.ports.templates import Broken
from tests.fakes.model import call, calls, says
from tests.scenarios.stage import BOB, Stage, stage
from tests.scenarios.team import group
from tests.scenarios.test_plans import submit, the_plan, write
from tests.scenarios.tools import asking, submitting, writing
from tests.words import (
    APPROVE,
    ASKED_FOR_PLAN,
    NO_PLAN,
    NO_READY_MADE,
)


async def test_only_an_owner_keeps_a_plan_for_everybody() -> None:
    """Used later, its words are those of whoever uses it: a member would speak as an owner."""
    script = (calls(write("a", "1")), says("The plan."))
    async with group(*script, tools=[writing(), submitting()]) as team:
        scene = team.scene
        await scene.grant(BOB, Level.CHANGES)
        await team.ask("/plan one file", BOB)
        await scene.settled(1)
        keep = f"/plan save {the_plan(scene).id} one-file"
        assert "Only an owner can keep a plan" in await team.command(keep, BOB)
        assert scene.templates.known == {}
        assert "/plan save" not in await team.command("/plan show 1", BOB)
        assert "plans/one-file.md" in await team.command(keep)


async def test_the_title_of_a_plan_is_no_link_in_the_status() -> None:
    script = (calls(write("a", "1"), submit(title="[here](https://evil.example)")),)
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        await scene.say("/status")
        await scene.until(lambda: "Plan:" in scene.texts[-1])
        assert r"\[here](https://evil.example)" in scene.texts[-1]


async def test_the_commands_tell_what_there_is() -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await said(scene, "/plan", "Try one of these:")
        await said(scene, "/plan status", NO_PLAN)
        await said(scene, "/plan list", "no plans yet")
        await said(scene, "/plan show", "Which plan?")
        await said(scene, "/plan staus now", "Did you mean `/plan status`?")
        await said(scene, "/plan resume", NO_PLAN)
        await said(scene, "/plan done", "No plan is being collected.")
        await said(scene, "/plan off", "Plan mode is off.")
        await scene.say("/plan one file")
        await scene.settled(1)
        plan = the_plan(scene)
        await said(scene, "/plan status", "waiting for your decision · 1 step")
        await said(scene, "/plan show 1", "`/plan save 1 <name>`")
        assert "Arguments:" not in scene.texts[-1]
        await said(scene, "/plan show 2", "no plan")
        await said(scene, "/plan show zzzz", "no plan")
        await said(scene, "/plan list", "1: “")
        assert plan.id not in scene.texts[-1]
        await scene.press("1")
        await scene.until(lambda: sum("/plan save 1" in text for text in scene.texts) == 2)
        await said(scene, "/plan resume 1", "It is waiting for your decision")
        await said(scene, f"/plan save {plan.id} ../../etc", "small letters and digits")
        await said(scene, f"/plan save {plan.id} My Weekly", "small letters and digits")
        await said(scene, "/plan save 1 one-file", "plans/one-file.md")
        await said(scene, f"/plan save {plan.id} one-file", "already")
        await said(scene, "/plan use", "one-file")
        await said(scene, f"/plan cancel {plan.id}", "Cancelled.")
        await said(scene, f"/plan cancel {plan.id}", "It has ended")
        assert APPROVE not in scene.labels


async def test_a_single_word_is_a_wish() -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan breakfast")
        await scene.settled(1)
        assert (the_plan(scene).title, APPROVE in scene.labels) == ("Breakfast", True)


async def test_plan_alone_offers_what_it_can_do_and_a_press_does_it() -> None:
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan")
        await scene.until(lambda: scene.labels)
        assert scene.labels == ["📋 Turn on plan mode", "Ready-made plans", "Earlier plans"]
        assert await scene.press("Earlier plans") == ""
        await scene.shows("no plans yet")
        assert await scene.press("Turn on plan mode") == ""
        await scene.shows("Plan mode is on, for one plan.")
        assert (the_plan(scene).state, scene.labels) == (PlanState.COLLECTING, [])
        await scene.say("/plan")
        await scene.until(lambda: "Turn off plan mode" in scene.labels)
        assert await scene.press("Turn off plan mode") == ""
        await scene.until(lambda: not scene.labels)
        assert the_plan(scene).state is PlanState.CANCELLED
        await scene.say("/plan one file")
        await scene.settled()
        await scene.say("/plan")
        await scene.until(lambda: "🗑 Cancel the plan" in scene.labels)
        assert "Status" not in scene.labels, "the message is the status"
        assert await scene.press_data("m:plan:one more wish") != ""


async def said(scene: Stage, text: str, answer: str) -> None:
    before = len(scene.texts)
    await scene.say(text)
    await scene.until(lambda: len(scene.texts) > before and answer in scene.texts[-1])


async def test_a_second_plan_takes_the_place_of_the_first_only_when_told() -> None:
    script = (calls(write("a", "1")), says("One."), calls(write("b", "2")), says("Two."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        first = the_plan(scene)
        await scene.say("/plan replace another file")
        await scene.settled(2)
        assert scene.store.rows.plans[first.id].state is PlanState.CANCELLED
        assert the_plan(scene).state is PlanState.READY
        assert [b.text for b in scene.bodies if isinstance(b, AskerBody)][-1] == "another file"
        assert len(scene.cards) == 1


async def test_done_shows_what_is_collected_so_far_once() -> None:
    script = (calls(write("a", "1")), calls(call("q", "ask", {"what": "Which?"})))
    async with stage(*script, tools=[writing(), submitting(), asking()]) as scene:
        await scene.say("/plan one file")
        await scene.settled(1)
        assert the_plan(scene).collecting
        assert ASKED_FOR_PLAN in scene.texts[-1]
        await scene.say("/plan done")
        await scene.say("/plan done")
        await scene.until(lambda: len(scene.cards) == 1)
        await scene.routed()
        assert the_plan(scene).state is PlanState.READY
        ready = [a for a in scene.store.rows.audit if a.action == "plan.ready"]
        assert len(ready) == 1


async def test_a_template_is_used_with_its_blanks_filled() -> None:
    template = Template(
        "report",
        "A report.",
        (Argument("folder"), Argument("title", default="Report")),
        "1. Write {{title}} from {{folder}}",
    )
    script = (calls(write("a", "1")), says("The plan."))
    async with stage(*script, tools=[writing(), submitting()]) as scene:
        scene.templates.known["report"] = template
        scene.templates.known["odd"] = Broken("plans/odd.md", 3, "no steps")
        await said(scene, "/plan use nothing", NO_READY_MADE)
        await said(scene, "/plan use odd", "plans/odd.md:3: no steps")
        await said(scene, "/plan use report", "Which folder?")
        await scene.say("/plan use report notes The week")
        await scene.settled(1)
        asked = next(b for b in scene.bodies if isinstance(b, AskerBody))
        assert "1. Write The week from notes" in asked.text
        assert the_plan(scene).state is PlanState.READY
