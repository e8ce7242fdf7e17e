"""Plans made under skills: every step runs in the environment it was shown with, or not at all."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bot.domain.plans.plan import Plan, PlanState, StepState
from bot.domain.plans.template import Template
from bot.domain.skills.skill import Requirements, Skill, SkillFault, SkillServer
from bot.domain.tools.tool import Effect, Preview, Replay, ToolCall, ToolOutput
from bot.domain.tools.variable import Variable
from bot.domain.turn.outcome import StopReason
from bot.ports.tool import Place
from tests.fakes.channel import Shown
from tests.fakes.model import call, calls, says
from tests.fakes.servers import FakeServers
from tests.fakes.skills import FakeSkills
from tests.scenarios.stage import Stage, stage
from tests.scenarios.test_skills import newest, skill, use
from tests.scenarios.tools import ScenarioTool, asking, looking, tool
from tests.words import PLAN_ENDED, RETRY, SUMMARISED

KEY = Variable("KEY", "s3cret-key", secret=True)
NOTES = skill("notes", next_skill="report")
REPORT = skill("report", variables=(KEY, Variable("TEAM", "tea")))


@dataclass(frozen=True, eq=False)
class Runner(ScenarioTool):
    """A tool that tells in its preview, and when it runs, what a skill puts around it."""

    found: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    async def preview(self, arguments: Any, place: Place) -> Preview:
        one = place.skill
        where = f"with secrets of {one.name}" if one is not None and one.secrets else "bare"
        return replace(await super().preview(arguments, place), where=where)


def running(name: str = "run", effect: Effect = Effect.WRITE, lender: str | None = None) -> Runner:
    found: list[tuple[str, str, str]] = []

    def act(arguments: Any, place: Place) -> ToolOutput:
        one = place.skill
        around = {} if one is None else one.environment
        name, key = "" if one is None else one.name, around.get("KEY", "")
        found.append((str(arguments["what"]), name, key))
        return ToolOutput(f"ran {arguments['what']} with {key or 'nothing'}")

    spec = tool(name, effect, Replay.ONCE).spec
    return Runner(replace(spec, lender=lender), act, found=found)


def run(id: str, what: str, name: str = "run") -> ToolCall:
    return call(id, name, {"what": what})


def the_plan(scene: Stage) -> Plan:
    return list(scene.store.rows.plans.values())[-1]


def plan_card(scene: Stage) -> Shown:
    return [s for s in scene.channel.screen.values() if s.text.startswith("📋")][-1]


def states(scene: Stage) -> list[StepState]:
    return [step.state for step in the_plan(scene).steps]


COLLECTING = (
    calls(run("a", "1")),
    says("Noted."),
    calls(run("b", "2")),
    says("Reported."),
)
"""The first skill of the pipeline plans one step, the second another."""


async def collected(scene: Stage, wish: str = "/plan a report") -> None:
    await scene.say("/skill notes")
    await scene.say(wish)
    await scene.settled()


async def test_each_step_of_a_pipeline_runs_in_the_environment_of_its_own_skill() -> None:
    one, script = running(), (*COLLECTING, calls(run("c", "1"), run("d", "2")), says("Both ran."))
    async with stage(*script, tools=[one], skills=FakeSkills(NOTES, REPORT)) as scene:
        await collected(scene)
        assert [s.skill for s in the_plan(scene).steps] == ["notes", "report"]
        assert "1. Do run 1\n\n1\n\nbare" in plan_card(scene).text
        assert "2. Do run 2\n\n2\n\nwith secrets of report" in plan_card(scene).text
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        assert one.found == [("1", "notes", ""), ("2", "report", "s3cret-key")]
        assert "ran 2 with [secret]" in newest(scene.model.requests[-1])
        assert "s3cret-key" not in str(scene.store.rows)
        assert scene.approvals == []
        scene.assert_whole()


async def test_equal_steps_run_in_the_order_they_were_planned_each_under_its_skill() -> None:
    one = running()
    script = (
        calls(run("a", "1")),
        says("Noted."),
        calls(run("b", "1")),
        says("Reported."),
        calls(run("c", "1"), run("d", "1")),
        says("Both ran."),
    )
    async with stage(*script, tools=[one], skills=FakeSkills(NOTES, REPORT)) as scene:
        await collected(scene)
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        assert [name for _, name, _ in one.found] == ["notes", "report"]


async def test_a_plan_is_carried_out_from_its_last_stage_on_and_its_text_is_the_answer() -> None:
    script = (*COLLECTING, calls(run("c", "1"), run("d", "2")), says("Both ran."), says("Bye."))
    async with stage(*script, tools=[running()], skills=FakeSkills(NOTES, REPORT)) as scene:
        await collected(scene)
        await scene.press("Approve")
        turn = await scene.settled(2)
        assert (turn.skill, turn.stages) == ("report", 0)
        assert "Both ran." in scene.texts
        carrying_out = newest(scene.model.requests[4])
        assert "[Plan approved]" in carrying_out
        assert "[Skill]" not in carrying_out, "the instructions are the newest in view already"
        await scene.say("Thanks")
        await scene.until(lambda: len(scene.model.requests) == 7)
        assert "notes is at work in this chat" in newest(scene.model.requests[6])


async def test_the_skill_at_work_still_narrows_what_is_not_in_the_plan() -> None:
    one, narrow = running(), replace(REPORT, tools=("look",))
    script = (
        calls(run("a", "1")),
        says("Noted."),
        calls(call("l", "look")),
        says("Reported."),
        calls(run("c", "1"), run("d", "other")),
        says("One ran."),
    )
    explored = {"tools": [one, looking()], "explore": False}
    async with stage(*script, **explored, skills=FakeSkills(NOTES, narrow)) as scene:
        await collected(scene)
        await scene.press("Approve")
        await scene.settled(2)
        assert [what for what, _, _ in one.found] == ["1"]
        refused = next(r for r in scene.results if r.call_id == "d")
        assert "the skill report does not allow run" in refused.text


async def test_a_pipeline_the_model_chose_rests_when_its_plan_is_carried_out() -> None:
    ends = (calls(run("c", "1"), run("d", "2")), says("Both ran."))
    skills, script = FakeSkills(NOTES, REPORT), (use("notes"), *COLLECTING, *ends)
    async with stage(*script, tools=[running()], skills=skills) as scene:
        await scene.say("/plan a report")
        await scene.settled()
        (chat,) = scene.store.rows.chats.values()
        assert chat.skill == "notes"
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        (chat,) = scene.store.rows.chats.values()
        assert chat.skill is None


async def test_a_plan_keeps_its_skills_over_a_rest_a_summary_and_a_restart() -> None:
    one = running()
    script = (
        *COLLECTING,
        says("A plan was made."),
        calls(run("c", "1"), run("d", "2")),
        says("Both ran."),
        says("Hello."),
    )
    async with stage(*script, tools=[one], skills=FakeSkills(NOTES, REPORT)) as scene:
        await collected(scene)
        await scene.say("/skill off")
        await scene.shows("`notes` is off.")
        await scene.say("/compact")
        await scene.shows(SUMMARISED)
        await scene.crash()
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        assert one.found == [("1", "notes", ""), ("2", "report", "s3cret-key")]
        assert "Do as report does." in newest(scene.model.requests[5])
        await scene.say("Hello")
        await scene.shows("Hello.")
        assert scene.turns[-1].skill is None
        assert "report is not at work any more" in newest(scene.model.requests[7])


async def test_a_skill_put_to_work_before_the_approval_does_not_reach_the_steps() -> None:
    script = (calls(run("a", "1")), says("The plan."), calls(run("b", "1")), says("Done."))
    one = running()
    async with stage(*script, tools=[one], skills=FakeSkills(REPORT)) as scene:
        await scene.say("/plan one run")
        await scene.settled()
        await scene.say("/skill report")
        await scene.shows("`report` is on")
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        assert one.found == [("1", "", "")]
        assert the_plan(scene).steps[0].skill is None


BROKEN = SkillFault("/skills/report/SKILL.md", 3, "no YAML")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (None, "there is no skill “report”"),
        (replace(REPORT, requires=Requirements(skills=("gone",))), "needs the skill gone"),
        (BROKEN, "cannot be read: SKILL.md, line 3: no YAML"),
        (replace(REPORT, tools=("look",)), "the skill report does not allow run"),
    ],
    ids=["gone", "unusable", "broken", "narrowed"],
)
async def test_a_step_whose_skill_is_not_what_it_was_fails_and_runs_nowhere_else(
    change: Skill | SkillFault | None, why: str
) -> None:
    one, skills = running(), FakeSkills(NOTES, REPORT)
    again = (calls(run("e", "2")), says("At last."))
    script = (*COLLECTING, calls(run("c", "1")), calls(run("d", "2")), *again)
    async with stage(*script, tools=[one], skills=skills) as scene:
        await collected(scene)
        if isinstance(change, Skill):
            skills.put(change)
        else:
            skills.take("report")
            skills.put(faults=(change,) if change is not None else ())
        await scene.press("Approve")
        turn = await scene.settled(2)
        assert turn.stop_reason is StopReason.WAITING_FOR_USER
        assert one.found == [("1", "notes", "")]
        assert states(scene) == [StepState.DONE, StepState.FAILED]
        assert why in the_plan(scene).steps[1].outcome
        assert why in plan_card(scene).text
        skills.put(REPORT)
        assert await scene.press(RETRY) == "Trying again."
        await scene.shows(PLAN_ENDED)
        assert one.found[1:] == [("2", "report", "s3cret-key")]


async def test_of_equal_steps_the_one_whose_skill_is_gone_is_told_of_and_the_other_runs() -> None:
    one, skills = running(), FakeSkills(NOTES, REPORT)
    collecting = (calls(run("a", "1")), says("Noted."), calls(run("b", "1")), says("Reported."))
    script = (*collecting, calls(run("c", "1"), run("d", "1")), calls(run("e", "1")), says("One."))
    async with stage(*script, tools=[one], skills=skills) as scene:
        await collected(scene)
        skills.take("report")
        await scene.press("Approve")
        await scene.settled(2)
        assert states(scene) == [StepState.OPEN, StepState.FAILED]
        assert await scene.press("Skip") == "Skipped."
        await scene.settled(3)
        assert states(scene) == [StepState.DONE, StepState.SKIPPED]
        assert one.found == [("1", "notes", "")]


async def test_a_step_whose_skill_is_gone_can_be_left_out() -> None:
    one, skills = running(), FakeSkills(NOTES, REPORT)
    script = (*COLLECTING, calls(run("c", "1")), calls(run("d", "2")), says("One of two."))
    async with stage(*script, tools=[one], skills=skills) as scene:
        await collected(scene)
        skills.take("report")
        await scene.press("Approve")
        await scene.settled(2)
        assert await scene.press("Skip") == "Skipped."
        await scene.settled(3)
        assert the_plan(scene).state is PlanState.PARTLY_DONE
        assert [what for what, _, _ in one.found] == ["1"]


async def test_a_dangerous_step_that_was_approved_again_does_not_run_without_its_skill() -> None:
    one, skills = running(effect=Effect.DANGER), FakeSkills(REPORT)
    script = (calls(run("a", "1")), says("The plan."), calls(run("b", "1")))
    async with stage(*script, tools=[one], skills=skills) as scene:
        await scene.say("/skill report")
        await scene.say("/plan one run")
        await scene.settled()
        await scene.press("Approve")
        await scene.parked()
        assert "with secrets of report" in scene.cards[-1].text
        skills.take("report")
        await scene.press("Approve")
        await scene.settled(2)
        assert one.found == []
        assert "there is no skill “report”" in the_plan(scene).steps[0].outcome


async def test_a_step_asks_again_when_it_would_find_other_things_than_the_plan_said() -> None:
    one, skills = running(), FakeSkills(replace(REPORT, variables=()))
    script = (calls(run("a", "1")), says("The plan."), calls(run("b", "1")), says("Done."))
    async with stage(*script, tools=[one], skills=skills) as scene:
        await scene.say("/skill report")
        await scene.say("/plan one run")
        await scene.settled()
        skills.put(REPORT)
        await scene.press("Approve")
        await scene.parked()
        assert "shown to you in another place: bare" in scene.cards[-1].text
        assert "with secrets of report" in scene.cards[-1].text
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        assert one.found == [("1", "report", "s3cret-key")]


def bringing(name: str, server: str, **fields: str) -> Skill:
    return skill(name, servers=(SkillServer(server, (server,)),), **fields)


async def served(scene: Stage, wish: str = "/plan a ticket") -> None:
    await scene.say("/skill tickets")
    await scene.say(wish)
    await scene.settled()


@pytest.mark.parametrize("first", [{}, {"next_skill": "report"}], ids=["alone", "pipeline"])
@pytest.mark.parametrize("word", ["/skill off", "/skill report"])
async def test_a_step_of_a_skills_server_runs_whatever_is_at_work_by_then(
    word: str, first: dict[str, str]
) -> None:
    lent = running("desk__close", lender="tickets")
    servers = FakeServers({"desk": [lent]})
    skills = FakeSkills(bringing("tickets", "desk", **first), REPORT)
    script = (
        *(says("Looked.") for _ in first),
        calls(run("a", "1", "desk__close")),
        says("The plan."),
        calls(run("b", "1", "desk__close")),
        says("Closed."),
    )
    async with stage(*script, servers=servers, skills=skills) as scene:
        await served(scene)
        await scene.say(word)
        await scene.until(lambda: servers.asked[-1][1] == ())
        await scene.crash()
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        at_work = "report" if first else "tickets"
        assert [(what, name) for what, name, _ in lent.found] == [("1", at_work)]
        assert [spec.skill for spec in servers.asked[-2][1]] == ["tickets"]
        await scene.until(lambda: servers.asked[-1][1] == ())


async def test_a_step_whose_tool_was_lent_by_a_skill_that_is_gone_fails_and_says_so() -> None:
    lent = running("desk__close", lender="tickets")
    tickets = bringing("tickets", "desk", next_skill="report")
    skills = FakeSkills(tickets, REPORT)
    script = (
        says("Looked."),
        calls(run("a", "1", "desk__close")),
        says("The plan."),
        calls(run("b", "1", "desk__close")),
    )
    servers = FakeServers({"desk": [lent]})
    async with stage(*script, servers=servers, skills=skills) as scene:
        await served(scene)
        skills.take("tickets")
        await scene.press("Approve")
        await scene.settled(2)
        assert lent.found == []
        assert "there is no skill “tickets”" in plan_card(scene).text


async def test_a_plan_over_two_skills_has_the_servers_of_both() -> None:
    desk = running("desk__close", lender="tickets")
    post = running("post__send", lender="mail")
    servers = FakeServers({"desk": [desk], "post": [post]})
    skills = FakeSkills(bringing("tickets", "desk"), bringing("mail", "post"))
    script = (
        calls(run("a", "1", "desk__close")),
        calls(call("q", "ask", {"what": "Whom to write?"})),
        calls(run("b", "2", "post__send")),
        says("The plan."),
        calls(run("c", "1", "desk__close"), run("d", "2", "post__send")),
        says("Both."),
    )
    async with stage(*script, tools=[asking()], servers=servers, skills=skills) as scene:
        await served(scene)
        await scene.say("/skill mail")
        await scene.say("Bob")
        await scene.settled(2)
        await scene.press("Approve")
        await scene.shows(PLAN_ENDED)
        assert desk.found == [("1", "tickets", "")]
        assert post.found == [("2", "mail", "")]


async def test_a_saved_plan_names_the_skill_of_each_step() -> None:
    skills = FakeSkills(NOTES, REPORT)
    async with stage(*COLLECTING, tools=[running()], skills=skills) as scene:
        await collected(scene)
        await scene.say(f"/plan save {the_plan(scene).id} two-runs")
        await scene.shows("Saved “")
        kept = scene.templates.known["two-runs"]
        assert isinstance(kept, Template)
        assert "1. run (with the skill notes)\n\n" in kept.text
        assert "2. run (with the skill report)\n\n" in kept.text
        assert "call use_skill with that skill before it" in kept.text
