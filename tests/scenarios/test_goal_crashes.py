"""Death at every write of a goal's life: each milestone, question and reflection exists once."""

import asyncio
from collections.abc import Callable

import pytest

from bot.domain.assignments.goal import DiaryKind, GoalCondition
from bot.domain.assignments.task import RunState
from bot.domain.money.model import FinishReason
from bot.domain.talk.limits import GoalBounds, Limits
from bot.domain.talk.message import InboundMessage, Quote
from bot.domain.turn.transcript import AskerBody, NoteBody
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import RuledModel, says
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, HOME, Stage, running
from tests.scenarios.test_goals import diary, goal_in, stands, update
from tests.scenarios.test_schedules import HOUR, states, told


def _lives(request: ModelRequest, _: int) -> ModelReply:
    """Tells a milestone in the first run, asks in the second, and is done in the third."""
    read, newest = told(request), str(request.messages[-1].parts)
    if "ResultPart" in newest:
        return says("Bye.")
    if "Porto" in read:
        return update("c", state="done", milestone="You sail.")
    if "Took you." in read:
        return update("b", state="stuck", question="Which harbour?")
    return update("a", milestone="Took you.")


def _hourly(rule: Callable[[ModelRequest, int], ModelReply], fate: Fate) -> Stage:
    """Returns a stage whose goals run each hour."""
    scene = Stage(RuledModel(rule), [], Limits(), fate)
    scene.goals = GoalBounds(pace="hourly")
    scene.application = scene.composed()
    return scene


async def _begun(scene: Stage, fate: Fate) -> Life:
    """Proposes a goal and starts it; returns the life in which it runs."""
    life = Life(scene, fate, wish=lambda _: None)
    words = InboundMessage(HOME, ANN, "m1", "/goal Learn to sail", scene.clock.now())
    await life.accept(scene.channel.update(words))
    await life.until(lambda: bool(scene.store.rows.goals))
    start = f"/goals start {goal_in(scene).id}"
    words = InboundMessage(HOME, ANN, "m0", start, scene.clock.now())
    await life.accept(scene.channel.update(words))
    await life.until(lambda: bool(scene.store.rows.tasks))
    return life


async def _play(fate: Fate) -> Stage:
    """Lives through a goal: proposed, started, a milestone, a question, an answer, its end."""
    scene = _hourly(_lives, fate)
    async with running(scene):
        life = await _begun(scene, fate)
        passing = asyncio.create_task(scene.clock.advance(30))
        await life.until(lambda: states(scene).count(RunState.DONE) == 1)
        await passing
        passing = asyncio.create_task(scene.clock.advance(HOUR))
        await life.until(lambda: states(scene).count(RunState.DONE) == 2)
        await passing
        (asked,) = scene.store.rows.outbox[goal_in(scene).question].message_ids
        quote = Quote("Which harbour?", "Steward", own=True, message_id=asked)
        said = InboundMessage(HOME, ANN, "m2", "Porto", scene.clock.now(), quote=quote)
        await life.accept(scene.channel.update(said))
        passing = asyncio.create_task(scene.clock.advance(60))
        await life.until(lambda: any("🏁" in text for text in scene.texts))
        await passing
    return scene


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_of_a_goal_tells_each_thing_once(
    at: int, *, after: bool
) -> None:
    scene = await _play(Fate(at, after))
    assert stands(scene) is GoalCondition.DONE
    told_keys = [key for key in scene.store.rows.outbox if key.startswith("goal:")]
    assert len(told_keys) == 4, "the milestone, the question, the thanks, the end"
    kinds = [kind for kind, _ in diary(scene) if kind is not DiaryKind.RESULT]
    # The clock of a test stands still between question and answer, so their order is not told.
    expected = [DiaryKind.ANSWER, DiaryKind.MILESTONE, DiaryKind.MILESTONE, DiaryKind.QUESTION]
    assert sorted(kinds) == expected
    assert len([one for one in scene.turns if one.origin == "task"]) == 3
    notes = [b for b in scene.bodies if isinstance(b, NoteBody) and b.purpose == "goal"]
    assert len(notes) == 3
    assert len([b for b in scene.bodies if isinstance(b, AskerBody)]) == 3


def _fails_twice(request: ModelRequest, _: int) -> ModelReply:
    read = told(request)
    if "You have no tools now" in read:
        return says("Try the other one.")
    if "Try the other one." in read:
        return says("That worked.")
    return says("", finish=FinishReason.REFUSAL)


async def _play_failures(fate: Fate) -> Stage:
    """Lives through two failed runs, a reflection, and a run that reads it."""
    scene = _hourly(_fails_twice, fate)
    async with running(scene):
        life = await _begun(scene, fate)
        for n, seconds in ((1, 30), (2, HOUR), (3, HOUR)):
            passing = asyncio.create_task(scene.clock.advance(seconds))
            await life.until(lambda n=n: _ended(scene) == n)
            await passing
    return scene


def _ended(scene: Stage) -> int:
    return sum(state in (RunState.FAILED, RunState.DONE) for state in states(scene))


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play_failures)))
async def test_a_death_at_any_write_leaves_one_reflection_that_the_next_run_reads(
    at: int, *, after: bool
) -> None:
    scene = await _play_failures(Fate(at, after))
    assert states(scene) == [RunState.FAILED, RunState.FAILED, RunState.DONE]
    assert [kind for kind, _ in diary(scene)] == [DiaryKind.REFLECTION, DiaryKind.RESULT]
    assert len([one for one in scene.turns if one.origin == "reflection"]) == 1
