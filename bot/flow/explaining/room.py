"""The room of explanations: the command that tells why an answer is as it is."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.explaining.commands import WhyCommands
from bot.flow.explaining.wording import StoryWords
from bot.flow.models.choosing import Choosing
from bot.flow.room import Ground, Room


@dataclass(eq=False)
class ExplainingRoom:
    _ground: Ground
    _choosing: Choosing

    @cached_property
    def room(self) -> Room:
        ground, store = self._ground, self._ground.store
        words = StoryWords(ground.world.conceal, self._choosing.cost)
        commands = WhyCommands(store.feedback, store.turns, ground.journal, store.approvals, words)
        return Room(commands=commands.table)
