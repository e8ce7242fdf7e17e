"""Death at every write of a plan's way: one card, one execution of each step, no open call."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import pytest

from bot.domain.plans.plan import APPROVED_NOTE, PlanState, StepState
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code, Effect, Replay, Status, ToolOutput
from bot.domain.turn.transcript import TextPart
from bot.domain.turn.view import ModelReply, ModelRequest, ResultPart
from bot.ports.tool import Place
from tests.fakes.channel import Shown
from tests.fakes.model import RuledModel, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import Stage, running
from tests.scenarios.test_skills import skill
from tests.scenarios.tools import looking, risky, submitting, tool
from tests.words import APPROVE, OUTCOME_UNKNOWN, RESUME, RETRY, SKIP

Ran: TypeAlias = tuple[str, str | None]
"""What a step wrote, and under which skill."""


def _by_rule(request: ModelRequest, number: int) -> ModelReply:
    """Plans two changes, and carries out what the newest note says is open."""
    parts = [part for message in request.messages for part in message.parts]
    notes = [n for n, p in enumerate(parts) if isinstance(p, TextPart) and APPROVED_NOTE in p.text]
    if not notes:
        return _planning(request, number)
    note = parts[notes[-1]]
    told = [p.text for p in parts[notes[-1] :] if isinstance(p, ResultPart)]
    assert isinstance(note, TextPart)
    for what in "12":
        if f'{what}. write {{"what":"{what}"}}' in note.text and f"wrote {what}" not in told:
            return calls(call(f"e{number}", "write", {"what": what}))
    return says("So it went.")


def _planning(request: ModelRequest, number: int) -> ModelReply:
    if not any(isinstance(part, ResultPart) for part in request.messages[-1].parts):
        return calls(call(f"r{number}", "look"))
    handed_in = call(f"s{number}", "submit_plan", {"title": "Two", "summary": "Both."})
    steps = [call(f"p{what}{number}", "write", {"what": what}) for what in "12"]
    return calls(*steps, handed_in)


def _by_pipeline(request: ModelRequest, number: int) -> ModelReply:
    """Plans one change under each of two skills, and carries them out."""
    parts = [part for message in request.messages for part in message.parts]
    said = "\n".join(p.text for p in parts if isinstance(p, TextPart | ResultPart))
    if APPROVED_NOTE in said:
        return _by_rule(request, number)
    what = "2" if "Do as report does." in said else "1"
    if f"Recorded as step {what}" in said:
        return says(f"Planned {what}.")
    return calls(call(f"p{number}", "write", {"what": what}))


def _wish(card: Shown) -> str | None:
    """Approves the plan, tries a failed step again, and leaves an unknown one out."""
    buttons = {b["label"]: b["data"] for row in card.piece.body["buttons"] for b in row}
    again = SKIP if OUTCOME_UNKNOWN in card.text else RETRY
    return next((buttons[w] for w in (APPROVE, again, RESUME) if w in buttons), None)


def _over(scene: Stage) -> bool:
    plans = scene.store.rows.plans.values()
    return bool(plans) and not any(plan.live for plan in plans)


async def _play(fate: Fate) -> tuple[Stage, list[str]]:
    tool = risky()
    tools = [looking(), tool, submitting()]
    async with running(Stage(RuledModel(_by_rule), tools, Limits(), fate)) as scene:
        life = Life(scene, fate, _wish)
        await life.accept(scene.message("/plan two files"))
        await life.until(lambda: _over(scene))
    return scene, [a["what"] for a in tool.ran]


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_of_a_plan_makes_one_card_and_runs_each_step_once(
    at: int, after: bool
) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate)
    assert fate.died.is_set()
    _assert_sound(scene, ran)


def _assert_sound(scene: Stage, ran: list[str]) -> None:
    scene.assert_whole()
    (plan,) = scene.store.rows.plans.values()
    # The first try of the first step fails by design, and is tried again.
    assert ran.count("1") <= 2
    assert ran.count("2") <= 1
    unknown = [r for r in scene.results if r.code is Code.OUTCOME_UNKNOWN]
    for step in plan.steps:
        wrote = [r for r in scene.results if r.text == f"wrote {step.number}"]
        assert len(wrote) == (step.state is StepState.DONE)
        assert step.state is StepState.DONE or unknown
    assert plan.state is (PlanState.PARTLY_DONE if unknown else PlanState.DONE)
    ready = [a for a in scene.store.rows.audit if a.action == "plan.ready"]
    assert len(ready) == 1
    cards = [t for t in scene.texts if t.startswith("📋 Two")]
    assert 1 <= len(cards) <= 2, "one card, and at most one copy more"
    planned = [r for r in scene.results if r.status is Status.PLANNED]
    assert len(planned) == 2, "no step was recorded twice"


async def test_a_life_without_a_death_is_the_measure() -> None:
    fate = Fate(None, after=False)
    scene, ran = await _play(fate)
    assert ran == ["1", "1", "2"]
    assert fate.writes > 25
    _assert_sound(scene, ran)


PIPELINE = (skill("notes", next_skill="report"), skill("report"))


async def _play_pipeline(fate: Fate) -> tuple[Stage, list[Ran]]:
    ran: list[Ran] = []

    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        ran.append((arguments["what"], place.skill and place.skill.name))
        return ToolOutput(f"wrote {arguments['what']}")

    write = tool("write", Effect.WRITE, Replay.ONCE, act)
    made = Stage(RuledModel(_by_pipeline), [write], Limits(), fate, skills=FakeSkills(*PIPELINE))
    async with running(made) as scene:
        life = Life(scene, fate, _wish)
        await life.accept(scene.message("/skill notes"))
        await life.accept(scene.message("/plan two files"))
        await life.until(lambda: _over(scene))
    return scene, ran


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play_pipeline)))
async def test_a_death_at_any_write_leaves_each_step_with_its_skill(at: int, after: bool) -> None:
    fate = Fate(at, after)
    scene, ran = await _play_pipeline(fate)
    assert fate.died.is_set()
    scene.assert_whole()
    (plan,) = scene.store.rows.plans.values()
    assert [(s.number, s.skill) for s in plan.steps] == [(1, "notes"), (2, "report")]
    assert set(ran) <= {("1", "notes"), ("2", "report")}
    assert len(ran) == len(set(ran)), "no step ran twice"
    unknown = any(r.code is Code.OUTCOME_UNKNOWN for r in scene.results)
    assert plan.state is (PlanState.PARTLY_DONE if unknown else PlanState.DONE)


async def test_a_pipeline_without_a_death_is_the_measure() -> None:
    fate = Fate(None, after=False)
    _, ran = await _play_pipeline(fate)
    assert ran == [("1", "notes"), ("2", "report")]
    assert fate.writes > 25
