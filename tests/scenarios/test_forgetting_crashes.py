"""Death at every write from an answer to its erasing, the index of meaning included."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.domain.change import InboundState
from bot.domain.talk.limits import Limits
from tests.fakes.model import RuledModel, says
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import Stage, running
from tests.scenarios.test_forgetting import SECRET, left


async def _play(fate: Fate) -> Stage:
    model = RuledModel(lambda _, __: says(f"It is {SECRET}."))
    staged = Stage(model, [], Limits(), fate)
    staged.find_by_meaning()
    async with running(staged) as scene:
        rows, life = scene.store.rows, Life(scene, fate, lambda _: None)
        await life.until(lambda: rows.begun is not None and bool(rows.usage))
        await life.accept(scene.message(f"Remember {SECRET}"))
        await life.until(lambda: rows.passages.keys() != set())
        async with _quiet(scene):
            await life.until(lambda: _held(scene) == 1 and rows.passages.keys() == rows.meant)
        await life.accept(scene.message("/forget all"))
        await life.until(lambda: bool(scene.cards))
        question = scene.cards[-1]
        erase = question.piece.body["buttons"][0][0]["data"]
        await life.accept(scene.press_update(erase, question.id))
        await life.until(lambda: any(told.startswith("Erased.") for told in scene.texts))
        async with _quiet(scene):
            await life.until(lambda: not rows.leaving and not _held(scene) and _taken(scene))
    return scene


@asynccontextmanager
async def _quiet(scene: Stage) -> AsyncIterator[None]:
    """Lets time pass meanwhile: the index waits for more to come."""

    async def passing() -> None:
        while True:
            await scene.clock.advance(1)

    task = asyncio.create_task(passing())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def _taken(scene: Stage) -> bool:
    """Returns True when every update is dealt with: the last mark is the last write."""
    return all(row.state is not InboundState.NEW for row in scene.store.rows.inbox.values())


def _held(scene: Stage) -> int:
    return sum(map(len, scene.vectors.held.values()))


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_erases_all_and_indexes_nothing_twice(
    at: int, after: bool
) -> None:
    fate = Fate(at, after)
    scene = await _play(fate)
    assert fate.died.is_set()
    assert SECRET not in left(scene)
    assert scene.store.rows.passages == {}
    assert _held(scene) == 0
    # One is put again where the death came before the note that the index has it.
    assert scene.vectors.puts in (1, 2)
    scene.assert_whole()
