"""The room of shown calls: the companion that shows them, and the command that switches it."""

from functools import cached_property

from bot.flow.room import Ground, Room
from bot.flow.verbose.commands import VerboseCommands
from bot.flow.verbose.companion import VerboseCompanion
from bot.flow.verbose.newest_calls import NewestCalls


class VerboseRoom:
    """Builds the parts that show what the model called."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def room(self) -> Room:
        store, world = self._ground.store, self._ground.world
        calls = NewestCalls(self._ground.journal, store.chats, store.errands)
        return Room(
            commands=VerboseCommands(world.groups, calls, world.conceal).table,
            companions=(VerboseCompanion(store.chats, store.outbox, world.conceal).answers,),
        )
