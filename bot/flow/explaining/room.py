"""The room of explanations: the command that tells why an answer is as it is."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.explaining.commands import WhyCommands
from bot.flow.explaining.telling import StoryTeller
from bot.flow.explaining.wording import StoryWords
from bot.flow.models.choosing import Choosing
from bot.flow.room import Ground, Room


@dataclass(eq=False)
class ExplainingRoom:
    _ground: Ground
    _choosing: Choosing

    @cached_property
    def room(self) -> Room:
        store = self._ground.store
        words = StoryWords(self._ground.world.conceal, self._choosing.cost)
        page = self._ground.world.page
        # Any other address opens on this machine alone.
        reached = page if page.startswith("https://") else ""
        commands = WhyCommands(store.feedback, store.turns, self.teller, words, reached)
        return Room(commands=commands.table)

    @cached_property
    def teller(self) -> StoryTeller:
        """The part that folds the story of a turn, for chats and for pages."""
        store = self._ground.store
        alone = not store.peers.possible
        journal = self._ground.journal
        return StoryTeller(store.turns, journal, store.approvals, store.records, alone)
