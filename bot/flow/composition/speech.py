"""The part that speaks answers, put together."""

from functools import cached_property

from bot.flow.money.till import Till
from bot.flow.speaking.sound_sweep import SoundSweep
from bot.flow.speaking.speaker import SpokenAnswers
from bot.flow.speaking.voicing import Voicing
from bot.flow.world import StorePorts, World
from bot.ports.journal import Journal


class SpeechParts:
    """Builds the speaker; without a service it ends what is owed and speaks nothing."""

    def __init__(self, store: StorePorts, world: World, till: Till, journal: Journal) -> None:
        self._store = store
        self._world = world
        self._till = till
        self._journal = journal

    @cached_property
    def speaker(self) -> SpokenAnswers:
        store, world, journal = self._store, self._world, self._journal
        sweep = SoundSweep(world.sounds, store.outbox)
        return SpokenAnswers(
            store.voice, store.outbox, store.turns, self._voicing, sweep, journal, world.clock
        )

    @property
    def _voicing(self) -> Voicing | None:
        speaking, world = self._world.speaking, self._world
        if speaking is None:
            return None
        return Voicing(speaking, world.sounds, self._till, self._journal, world.clock)
