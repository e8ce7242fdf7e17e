"""The room of voice notes: the part that speaks answers, and the command that asks for them."""

from functools import cached_property

from bot.flow.money.till import Till
from bot.flow.room import Ground, Room
from bot.flow.speaking.commands import VoiceCommands
from bot.flow.speaking.companion import SpeakingCompanion
from bot.flow.speaking.sound_sweep import SoundSweep
from bot.flow.speaking.speaker import SpokenAnswers
from bot.flow.speaking.voicing import Voicing


class SpeakingRoom:
    """Builds the speaker; without a service it ends what is owed and speaks nothing."""

    def __init__(self, ground: Ground, till: Till) -> None:
        self._ground = ground
        self._till = till

    @cached_property
    def room(self) -> Room:
        hears = self._ground.world.hearing is not None
        speaks = self._ground.world.speaking is not None
        return Room(
            commands=VoiceCommands(hears=hears, speaks=speaks).table,
            companions=(SpeakingCompanion().answers,) if speaks else (),
            everywhere={"speaking": self.speaker.run},
        )

    @cached_property
    def speaker(self) -> SpokenAnswers:
        store, clock = self._ground.store, self._ground.world.clock
        sweep = SoundSweep(self._ground.world.sounds, store.outbox)
        journal = self._ground.journal
        return SpokenAnswers(
            store.voice, store.outbox, store.turns, self._voicing, sweep, journal, clock
        )

    @property
    def _voicing(self) -> Voicing | None:
        world = self._ground.world
        if world.speaking is None:
            return None
        journal = self._ground.journal
        return Voicing(world.speaking, world.sounds, self._till, journal, world.clock)
