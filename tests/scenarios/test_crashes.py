"""Death at every write of a turn: nothing lost, nothing twice, nothing left open."""

import pytest

from bot.domain.talk.limits import Limits
from bot.domain.tools.tool import Code
from bot.domain.turn.transcript import ReplyBody
from tests.fakes.model import RuledModel
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life, two_answers
from tests.scenarios.stage import Stage, running
from tests.scenarios.tools import looking, sending, writing


async def _play(fate: Fate) -> tuple[Stage, int]:
    tool = writing()
    tools = [looking(), tool, sending()]
    async with running(Stage(RuledModel(two_answers), tools, Limits(), fate)) as scene:
        life = Life(scene, fate)
        await life.accept(scene.message("first message"))
        await life.until_shown("First answer.")
        await life.accept(scene.message("second message"))
        await life.until_shown("Second answer.")
    return scene, len(tool.ran)


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_loses_nothing_and_repeats_nothing(at: int, after: bool) -> None:
    fate = Fate(at, after)
    scene, ran = await _play(fate)
    assert fate.died.is_set()
    _assert_sound(scene, ran)


def _assert_sound(scene: Stage, ran: int) -> None:
    scene.assert_whole()
    unknown = [r for r in scene.results if r.code is Code.OUTCOME_UNKNOWN]
    assert ran == 1 or (ran == 0 and unknown), "the write ran, or its end is called unknown"
    for text in ("A note.", "First answer.", "Second answer."):
        assert 1 <= scene.texts.count(text) <= 2, "shown, and at most one copy more"
    copies = sum(scene.texts.count(t) - 1 for t in ("A note.", "First answer.", "Second answer."))
    assert copies <= 1
    called = [c.id for b in scene.bodies if isinstance(b, ReplyBody) for c in b.calls]
    assert sorted(called) == ["r", "s", "w"], "no round was made twice"


async def test_a_life_without_a_death_is_the_measure() -> None:
    fate = Fate(None, after=False)
    scene, ran = await _play(fate)
    assert ran == 1
    assert fate.writes > 15
    _assert_sound(scene, ran)
    assert scene.texts[-1] == "Second answer."
