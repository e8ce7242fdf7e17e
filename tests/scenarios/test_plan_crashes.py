"""Death at every write of a plan's way: one card, one execution of each step, no open call."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from bot.domain.budget import Limits
from bot.domain.exchange import ModelProfile
from bot.domain.message import RawUpdate
from bot.domain.plan import APPROVED_NOTE, PlanState, StepState
from bot.domain.tool import Code, Effect, Replay, Status, ToolOutput
from bot.domain.transcript import TextPart
from bot.domain.turn import TurnState
from bot.domain.view import ModelEvent, ModelReply, ModelRequest, ResultPart
from bot.ports.outbox import DeliveryState
from bot.ports.tool import Place
from tests.fakes.model import PROFILE, call, calls, says
from tests.fakes.skills import FakeSkills
from tests.scenarios.dying import Fate
from tests.scenarios.stage import Stage, running
from tests.scenarios.test_skills import skill
from tests.scenarios.tools import looking, risky, submitting, tool

MOST_WRITES = 60

Ran: TypeAlias = tuple[str, str | None]
"""What a step wrote, and under which skill."""


class PlanningModel:
    """Plans two changes, and carries out what the newest note says is open."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    def profile(self, name: str) -> ModelProfile:
        return replace(PROFILE, name=name)

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        yield _by_rule(request, len(self.requests))


def _by_rule(request: ModelRequest, number: int) -> ModelReply:
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


class PipelineModel(PlanningModel):
    """Plans one change under each of two skills, and carries them out."""

    async def reply(self, request: ModelRequest) -> AsyncGenerator[ModelEvent]:
        self.requests.append(request)
        number = len(self.requests)
        parts = [part for message in request.messages for part in message.parts]
        said = "\n".join(p.text for p in parts if isinstance(p, TextPart | ResultPart))
        if APPROVED_NOTE in said:
            yield _by_rule(request, number)
            return
        what = "2" if "Do as report does." in said else "1"
        if f"Recorded as step {what}" in said:
            yield says(f"Planned {what}.")
        else:
            yield calls(call(f"p{number}", "write", {"what": what}))


class Life:
    """A person who approves the plan, tries a failed step again, and leaves an unknown one out."""

    def __init__(self, scene: Stage, fate: Fate) -> None:
        self._scene = scene
        self._fate = fate
        self._reborn = False
        self._pressed: set[str] = set()

    async def accept(self, update: RawUpdate) -> None:
        """Hands an update over until it was taken, over a death if need be."""
        taken = asyncio.create_task(self._scene.application.intake.accept("fake", (update,)))
        died = asyncio.create_task(self._fate.died.wait())
        await asyncio.wait({taken, died}, return_when=asyncio.FIRST_COMPLETED)
        died.cancel()
        if not taken.done():
            taken.cancel()
            await self._be_reborn()
            await self.accept(update)

    async def _be_reborn(self) -> None:
        if self._fate.died.is_set() and not self._reborn:
            self._reborn = True
            await self._scene.crash()

    async def until_over(self) -> None:
        for _ in range(20_000):
            if self._over():
                return
            await self._be_reborn()
            update = self._press()
            if update is not None:
                await self.accept(update)
            await asyncio.sleep(0)
        raise AssertionError(f"it never ended; the screen shows {self._scene.texts}")

    def _press(self) -> RawUpdate | None:
        """What the person presses on the card as it is, once."""
        for card in self._scene.cards:
            buttons = {b["label"]: b["data"] for row in card.piece.body["buttons"] for b in row}
            wish = "⏭ Skip" if "outcome unknown" in card.text else "🔁 Retry"
            label = next((w for w in ("✅ Approve", wish, "▶️ Resume") if w in buttons), None)
            if label is not None and buttons[label] not in self._pressed:
                self._pressed.add(buttons[label])
                return self._scene.press_update(buttons[label], card.id)
        return None

    def _over(self) -> bool:
        rows = self._scene.store.rows
        plans = list(rows.plans.values())
        settled = all(t.state is TurnState.SETTLED for t in self._scene.turns)
        owed = [r for r in rows.outbox.values() if r.state is DeliveryState.OWED]
        return bool(plans) and not any(p.live for p in plans) and settled and not owed


async def _play(at: int | None, *, after: bool) -> tuple[Stage, Fate, list[str]]:
    fate, tool = Fate(at, after), risky()
    tools = [looking(), tool, submitting()]
    async with running(Stage(PlanningModel(), tools, Limits(), fate)) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("/plan two files"))
        await life.until_over()
    return scene, fate, [a["what"] for a in tool.ran]


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, MOST_WRITES))
async def test_a_death_at_any_write_of_a_plan_makes_one_card_and_runs_each_step_once(
    at: int, after: bool
) -> None:
    scene, fate, ran = await _play(at, after=after)
    if not fate.died.is_set():
        assert at > 25, "the scenario makes more writes than this"
        return
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
    scene, fate, ran = await _play(None, after=False)
    assert ran == ["1", "1", "2"]
    assert 25 < fate.writes < MOST_WRITES
    _assert_sound(scene, ran)


PIPELINE = (skill("notes", next_skill="report"), skill("report"))


async def _play_pipeline(at: int | None, *, after: bool) -> tuple[Stage, Fate, list[Ran]]:
    ran: list[Ran] = []

    def act(arguments: Mapping[str, Any], place: Place) -> ToolOutput:
        ran.append((arguments["what"], place.skill and place.skill.name))
        return ToolOutput(f"wrote {arguments['what']}")

    fate, write = Fate(at, after), tool("write", Effect.WRITE, Replay.ONCE, act)
    made = Stage(PipelineModel(), [write], Limits(), fate, skills=FakeSkills(*PIPELINE))
    async with running(made) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("/skill notes"))
        await life.accept(scene.message("/plan two files"))
        await life.until_over()
    return scene, fate, ran


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("at", range(1, MOST_WRITES))
async def test_a_death_at_any_write_leaves_each_step_with_its_skill(at: int, after: bool) -> None:
    scene, fate, ran = await _play_pipeline(at, after=after)
    if not fate.died.is_set():
        assert at > 25, "the scenario makes more writes than this"
        return
    scene.assert_whole()
    (plan,) = scene.store.rows.plans.values()
    assert [(s.number, s.skill) for s in plan.steps] == [(1, "notes"), (2, "report")]
    assert set(ran) <= {("1", "notes"), ("2", "report")}
    assert len(ran) == len(set(ran)), "no step ran twice"
    unknown = any(r.code is Code.OUTCOME_UNKNOWN for r in scene.results)
    assert plan.state is (PlanState.PARTLY_DONE if unknown else PlanState.DONE)


async def test_a_pipeline_without_a_death_is_the_measure() -> None:
    _, fate, ran = await _play_pipeline(None, after=False)
    assert ran == [("1", "notes"), ("2", "report")]
    assert 25 < fate.writes < MOST_WRITES
