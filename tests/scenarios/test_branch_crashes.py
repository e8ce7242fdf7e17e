"""A death at any write leaves a chat in one conversation: a branch is made and opened once."""

import pytest

from bot.domain.talk.limits import Limits
from bot.domain.turn.transcript import AskerBody, CutBody
from bot.domain.turn.turn import TurnState
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.channel import Shown
from tests.fakes.model import RuledModel, says
from tests.scenarios.dying import Fate
from tests.scenarios.lives import Life
from tests.scenarios.stage import Stage, running
from tests.words import BRANCHED, OPEN_AGAIN


def _by_rule(request: ModelRequest, number: int) -> ModelReply:
    return says("Answered.")


def _never(card: Shown) -> str | None:
    return None


async def _play(fate: Fate) -> Stage:
    async with running(Stage(RuledModel(_by_rule), [], Limits(), fate)) as scene:
        life = Life(scene, fate, _never)
        await life.accept(scene.message("first"))
        await life.until(lambda: len(scene.turns) == 1)
        await life.accept(scene.message("/branch Side"))
        await life.until(lambda: any(BRANCHED in text for text in scene.texts))
        await life.accept(scene.message("second"))
        await life.until(lambda: len(scene.turns) == 2)
        # After a death the message may stand twice; the program knows the newer one.
        back = [c for c in scene.cards if "first" in str(c.piece.body["buttons"])][-1]
        data = back.piece.body["buttons"][0][0]["data"]
        await life.accept(scene.press_update(data, back.id))
        await life.until(lambda: any(OPEN_AGAIN in text for text in scene.texts))
        await life.accept(scene.message("third"))
        await life.until(lambda: len(scene.turns) == 3)
    return scene


@pytest.mark.parametrize(("at", "after"), [(n, after) for n in range(1, 31) for after in (0, 1)])
async def test_a_death_at_any_write_branches_and_opens_once(at: int, after: int) -> None:
    scene = await _play(Fate(at, bool(after)))
    assert [turn.state for turn in scene.turns] == [TurnState.SETTLED] * 3
    first, second, third = (turn.conversation for turn in scene.turns)
    assert (first, second != first) == (third, True)
    conversations = scene.store.rows.conversations
    assert set(conversations) == {first, second}
    assert (conversations[second].parent, conversations[second].closed_at is None) == (first, False)
    assert len([b for b in scene.bodies if isinstance(b, AskerBody)]) == 3
    assert not [b for b in scene.bodies if isinstance(b, CutBody)]
