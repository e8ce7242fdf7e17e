"""Death at every write of a turn with errands: each answers once, and nothing runs twice."""

from functools import partial

import pytest

from bot.domain.assignments.errand import DELEGATE
from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code
from bot.domain.turn.transcript import LateResultBody, ReplyBody
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import RuledModel, says
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import Stage, running
from tests.scenarios.test_errands import Answer, Family, answers, sends, then, writes
from tests.scenarios.tools import writing

ANSWER = "First.; Second: wrote x"


def unless_unknown(answer: Answer, request: ModelRequest) -> ModelReply:
    """Says so when the outcome of its change is unknown."""
    unknown = "It may have happened" in str(request.messages[-1].parts)
    return says("Second: wrote x") if unknown else answer(request)


def _family() -> Family:
    second = partial(unless_unknown, writes("x", "Second"))
    return Family(answers(sends("one", "two")), one=then("First."), two=second)


async def _play(fate: Fate, *, aside: bool) -> tuple[Stage, int]:
    tool = writing()
    scene = Stage(RuledModel(_family()), [tool], Limits(), fate)
    async with running(scene):
        patient = Life(scene, fate, lambda _: None)
        life = Life(scene, fate)
        await life.accept(scene.message("go"))
        if aside:
            await patient.until(lambda: bool(scene.cards), quiet=False)
            await patient.accept(scene.message("and hello"))
            await patient.until(lambda: _greeted(scene), quiet=False)
            life.follow(patient)
        await life.until_shown("So late." if aside else ANSWER)
    return scene, len(tool.ran)


def _greeted(scene: Stage) -> bool:
    return any(text.startswith("Hello.") for text in scene.texts)


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(partial(_play, aside=False))))
async def test_a_death_at_any_write_leaves_each_errand_answered_once(at: int, after: bool) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate, aside=False)
    assert fate.died.is_set()
    _assert_sound(scene, ran)
    assert scene.texts.count(ANSWER) in (1, 2), "shown, and at most one copy more"


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(partial(_play, aside=True))))
async def test_a_death_at_any_write_loses_no_late_result(at: int, after: bool) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate, aside=True)
    assert fate.died.is_set()
    _assert_sound(scene, ran)
    late = [b for b in scene.bodies if isinstance(b, LateResultBody)]
    assert [(b.tool, b.text) for b in late] == [(DELEGATE, "Second: wrote x")]


def _assert_sound(scene: Stage, ran: int) -> None:
    scene.assert_whole()
    assert all(e.done and e.taken for e in scene.store.rows.errands.values())
    assert len(scene.store.rows.errands) == 2
    assert len([c for c in scene.store.rows.chats.values() if c.screen is not None]) == 2
    unknown = [r for r in scene.results if r.code is Code.OUTCOME_UNKNOWN]
    assert ran == 1 or (ran == 0 and unknown), "the write ran, or its end is called unknown"
    called = [c.id for b in scene.bodies if isinstance(b, ReplyBody) for c in b.calls]
    assert sorted(called) == ["d0", "d1", "w-x"], "no round was made twice"
