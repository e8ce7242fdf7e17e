"""The room of memory: what is remembered, told again, shown, changed, erased and handed out."""

from functools import cached_property

from bot.flow.memory.commands import MemoryCommands
from bot.flow.memory.companion import MemoryCompanion
from bot.flow.memory.exporting import ExportCommands
from bot.flow.memory.forgetting import ForgettingCommands
from bot.flow.memory.note_changing import NoteChanging
from bot.flow.memory.noted import NotedCompanion
from bot.flow.memory.recall import Recall
from bot.flow.memory.tools import memory_tools
from bot.flow.room import Ground, Room


class MemoryRoom:
    """Builds recall, its companion, and the commands about what is remembered."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def room(self) -> Room:
        store, clock = self._ground.store, self._ground.world.clock
        forgetting = ForgettingCommands(store.memory, store.notes, store.journal, clock)
        return Room(
            commands=(
                *MemoryCommands(store.notes, store.memory, self.recall).table,
                *forgetting.table,
                *self._exporting.table,
            ),
            desks=(self.changing,),
            companions=(self._companion.answers, NotedCompanion().answers),
            tools=memory_tools(self.recall, store.notes, store.chats, store.people),
        )

    @cached_property
    def changing(self) -> NoteChanging:
        """The desk that changes the words of notes."""
        store, clock = self._ground.store, self._ground.world.clock
        return NoteChanging(self._ground.journal, store.notes, store.chats, store.outbox, clock)

    @cached_property
    def recall(self) -> Recall:
        store, world = self._ground.store, self._ground.world
        journal = self._ground.journal
        return Recall(store.memory, store.words, world.meaning, journal, world.clock)

    @property
    def _companion(self) -> MemoryCompanion:
        store, tokens = self._ground.store, self._ground.policy.recall_tokens
        return MemoryCompanion(self.recall, store.notes, store.rules, store.people, tokens)

    @property
    def _exporting(self) -> ExportCommands:
        store, packing = self._ground.store, self._ground.world.packing
        return ExportCommands(
            store.belongings,
            store.notes,
            store.goals,
            store.feedback,
            store.journal,
            packing,
            self._ground.zones,
        )
