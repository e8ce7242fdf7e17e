"""Death at every write between a voice message and its voice note: nothing lost, nothing twice."""

from collections import Counter
from dataclasses import dataclass
from functools import partial

import pytest

from bot.domain.talk.limits import Limits
from bot.domain.talk.message import Attachment, InboundMessage
from bot.domain.turn.view import ModelReply, ModelRequest
from bot.ports.hearing import Speech
from tests.fakes.hearing import FakeHearing
from tests.fakes.model import RuledModel, says
from tests.fakes.speaking import FakeSpeaking
from tests.scenarios.dying import Fate, deaths, writes_of
from tests.scenarios.lives import Life
from tests.scenarios.stage import ANN, HOME, Stage, running
from tests.scenarios.test_speaking import OWN, QUOTED, notes
from tests.words import VOICE_ON


@dataclass(slots=True)
class CarefulEars(FakeHearing):
    """Fails when it is asked for words that are stored already."""

    scene: Stage | None = None

    async def hear(self, sound: bytes, name: str) -> Speech:
        assert self.scene is not None
        assert not self.scene.store.rows.hearings, "it was heard and paid for before"
        return await FakeHearing.hear(self, sound, name)


@dataclass(slots=True)
class CarefulVoice(FakeSpeaking):
    """Fails when it is asked for sound that is kept already."""

    scene: Stage | None = None

    async def speak(self, words: str) -> bytes:
        assert self.scene is not None
        assert not self.scene.sounds.files, "it was spoken and paid for before"
        return await FakeSpeaking.speak(self, words)


def _answers(request: ModelRequest, _: int) -> ModelReply:
    return says("Noted.")


_TURNED_ON = f"{VOICE_ON} come as voice notes too, after their text."


async def _play(fate: Fate, *, bound: bool) -> Stage:
    scene = Stage(RuledModel(_answers), [], Limits(), fate)
    scene.files.stored["V"] = b"OggS"
    scene.hearing = CarefulEars({b"OggS": "buy milk"}, scene=scene)
    scene.speaking = CarefulVoice(scene=scene)
    if bound:
        scene.bound(day="5")
    scene.application = scene.composed()
    async with running(scene):
        life = Life(scene, fate, wish=lambda _: None)
        for id, text, files in (("m1", "/voice on", ()), ("m2", "", (OWN,))):
            await life.accept(scene.channel.update(_message(scene, id, text, files)))
            await life.until_shown(_TURNED_ON if text else "Noted.")
        await life.until(lambda: not scene.store.rows.voice_notes and bool(notes(scene)))
    return scene


def _message(scene: Stage, id: str, text: str, files: tuple[Attachment, ...]) -> InboundMessage:
    return InboundMessage(HOME, ANN, id, text, scene.clock.now(), attachments=files)


_DEATHS = [
    (*death, bound)
    for bound in (True, False)
    for death in deaths(writes_of(partial(_play, bound=bound)))
]


@pytest.mark.parametrize(("at", "after", "bound"), _DEATHS)
async def test_a_death_at_any_write_hears_speaks_and_pays_once(
    at: int, after: bool, bound: bool
) -> None:
    fate = Fate(at, after)
    scene = await _play(fate, bound=bound)
    assert fate.died.is_set()
    keys = [key.partition(":")[0] for key in scene.store.rows.outbox]
    assert Counter(keys) == {"command": 1, "heard": 1, "answer": 1, "voice": 1}
    assert scene.speaking is not None
    assert scene.hearing is not None
    assert len(scene.hearing.heard) <= 2
    assert scene.speaking.asked <= 2
    usage = list(scene.store.rows.usage.values())
    certain = Counter(line.model for line in usage if not line.estimated)
    assert certain == {"fake/fake": 1, "hear/fake": 1, "speak/fake": 1}
    # A call that the program did not outlive stays on record as an estimate.
    assert len([line for line in usage if line.estimated]) <= 1
    shown = Counter(scene.texts)
    assert sum(shown.values()) <= 5, "one copy more at most"
    assert shown[QUOTED] >= 1
