"""Death at every write of a message with files: each file is kept once, and the model is told."""

import pytest

from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Attachment, InboundMessage
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.view import ModelReply, ModelRequest
from tests.fakes.model import RuledModel, says
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, HOME, Stage, running

_FIRST = Attachment("document", "a.csv", 3, "A", "unique-a")
_SECOND = Attachment("document", "a.csv", 3, "B", "unique-b")


def _answers(request: ModelRequest, _: int) -> ModelReply:
    return says("Second." if "second" in str(request.messages[-1].parts[-1]) else "First.")


async def _play(fate: Fate) -> Stage:
    async with running(Stage(RuledModel(_answers), [], Limits(), fate)) as scene:
        scene.files.stored |= {"A": b"1;2", "B": b"1;2"}
        life = Life(scene, fate)
        for number, (text, file) in enumerate((("first", _FIRST), ("second", _SECOND)), 1):
            now = scene.clock.now()
            message = InboundMessage(HOME, ANN, f"m{number}", text, now, attachments=(file,))
            await life.accept(scene.channel.update(message))
            await life.until_shown(f"{text.capitalize()}.")
    return scene


@pytest.mark.parametrize(("at", "after"), deaths(writes_of(_play)))
async def test_a_death_at_any_write_leaves_one_file_for_each_message(at: int, after: bool) -> None:
    fate = Fate(at, after)
    scene = await _play(fate)
    assert fate.died.is_set()
    assert sorted(scene.inbox_folder.files) == ["/nowhere/inbox/a (2).csv", "/nowhere/inbox/a.csv"]
    asked = [body.text for body in scene.bodies if isinstance(body, AskerBody)]
    assert 'file="inbox/a.csv"' in asked[0]
    assert 'file="inbox/a (2).csv"' in asked[1]
