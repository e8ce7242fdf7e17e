"""Death at every write of a run that was set aside and goes on after the press on its card."""

import asyncio
from collections.abc import Callable

import pytest

from bot.domain.assignments.task import RunState
from bot.domain.consent.approval import ApprovalState
from bot.domain.talk.limits import Limits
from bot.domain.talk.message import InboundMessage
from bot.domain.tools.tool import Code
from bot.domain.turn.transcript import LateResultBody, ReplyBody
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import RuledModel, call, calls, says
from tests.scenarios.dying import Fate, deaths
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, HOME, Stage, running
from tests.scenarios.tools import writing

HALF_AN_HOUR = 1_800.0
FIRST_DUE = "due Mon 2026-11-02 12:30"
WANTS, QUIET, WRITTEN, GREETING = "Shall I?", "Nothing new.", "So it is.", "Good morning, Ann."


def _answer(request: ModelRequest, _: int) -> ModelReply:
    """Asks to write in the first run alone, and tells how that ended once it is decided."""
    said, newest = str(request.messages), str(request.messages[-1].parts)
    if "Good morning" in newest:
        return says(GREETING)
    if FIRST_DUE not in said:
        return says(QUIET)
    if WANTS not in said:
        return calls(call("w", "write", {"what": "a"}), text=WANTS)
    return says(WRITTEN)


async def _play(fate: Fate, *, by_run: bool) -> tuple[Stage, int]:
    """Lives through a run that is set aside: by the next run, or by a message of a person."""
    tool = writing()
    scene = Stage(RuledModel(_answer), [tool], Limits(), fate)
    async with running(scene):
        patient, life = Life(scene, fate, lambda _: None), Life(scene, fate)
        words = InboundMessage(HOME, ANN, "m1", "/schedule every 30m | Write it", scene.clock.now())
        await patient.accept(scene.channel.update(words))
        await patient.until(lambda: bool(scene.store.rows.tasks))
        await _passes(scene, patient, lambda: _parked(scene))
        if by_run:
            await _passes(scene, patient, lambda: _shown(scene, QUIET))
        else:
            await patient.accept(scene.message("Good morning"))
            await patient.until(lambda: _shown(scene, GREETING))
        life.follow(patient)
        await life.until(lambda: _shown(scene, WRITTEN))
    return scene, len(tool.ran)


async def _passes(scene: Stage, life: Life, over: Callable[[], bool]) -> None:
    """Lets half an hour pass, and goes on until it is over."""
    passing = asyncio.create_task(scene.clock.advance(HALF_AN_HOUR))
    await life.until(over, quiet=False)
    await passing


def _parked(scene: Stage) -> bool:
    asked = any(card.state is ApprovalState.OPEN for card in scene.approvals)
    return asked and any(one.state is TurnState.PARKED for one in scene.turns)


def _shown(scene: Stage, answer: str) -> bool:
    return any(text.startswith(answer) for text in scene.texts)


async def _writes(*, by_run: bool) -> int:
    fate = Fate(None, after=False)
    await _play(fate, by_run=by_run)
    return fate.writes


@pytest.mark.parametrize(("at", "after"), deaths(_writes(by_run=True)))
async def test_a_death_at_any_write_lets_a_run_that_the_next_one_set_aside_go_on_once(
    at: int, *, after: bool
) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate, by_run=True)
    assert fate.died.is_set()
    _assert_sound(scene, ran)
    assert [one.state for one in scene.store.rows.runs.values()] == [RunState.DONE] * 2
    assert sorted(one.origin for one in scene.turns) == ["continuation", "task", "task"]
    _assert_said_once(scene, WRITTEN, QUIET)


@pytest.mark.parametrize(("at", "after"), deaths(_writes(by_run=False)))
async def test_a_death_at_any_write_lets_a_run_that_a_person_set_aside_go_on_once(
    at: int, *, after: bool
) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate, by_run=False)
    assert fate.died.is_set()
    _assert_sound(scene, ran)
    assert [one.state for one in scene.store.rows.runs.values()] == [RunState.DONE]
    assert sorted(one.origin for one in scene.turns) == ["continuation", "message", "task"]
    _assert_said_once(scene, WRITTEN, GREETING)


def _assert_sound(scene: Stage, ran: int) -> None:
    scene.assert_whole()
    assert len(scene.approvals) == 1
    called = [c.id for b in scene.bodies if isinstance(b, ReplyBody) for c in b.calls]
    assert called == ["w"], "no round was made twice"
    late = [b for b in scene.bodies if isinstance(b, LateResultBody)]
    assert len(late) == 1
    unknown = [r for r in scene.results if r.code is Code.OUTCOME_UNKNOWN]
    assert ran == 1 or (ran == 0 and unknown), "the write ran, or its end is called unknown"


def _assert_said_once(scene: Stage, *answers: str) -> None:
    """An answer whose sending was not recorded is sent again: one copy more, of one message."""
    kept = [key for key in scene.store.rows.outbox if key.startswith("answer:")]
    assert len(kept) == len(answers)
    for answer in answers:
        assert sum(text.startswith(answer) for text in scene.texts) in (1, 2)
