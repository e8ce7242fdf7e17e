"""The room of the background: its companion, which tells the owner's and the person's words."""

from functools import cached_property

from bot.flow.background.companion import BackgroundCompanion
from bot.flow.room import Ground, Room


class BackgroundRoom:
    """Builds the companion that begins conversations with the background."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def room(self) -> Room:
        companion = BackgroundCompanion(self._ground.world.persona, self._ground.store.people)
        return Room(companions=(companion.answers,))
