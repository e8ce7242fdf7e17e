"""The room of taking back: the turn that does it, its desks, its sweep and its commands."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.approvals.undecided import CardEnding
from bot.flow.models.choosing import Choosing
from bot.flow.reading.row_reader import RowReader
from bot.flow.room import Ground, Room
from bot.flow.undoing.cards_back import CardsBack
from bot.flow.undoing.chore import UndoChore, UndoParts
from bot.flow.undoing.commands import UndoCommands
from bot.flow.undoing.desk import UndoDesk, UndoRows
from bot.flow.undoing.edits import EditDesk
from bot.flow.undoing.own_folders import OwnFolders
from bot.flow.undoing.retrying import RetryCommands
from bot.flow.undoing.undo_sweep import UndoSweep
from bot.flow.undoing.waiting_cards import WaitingCards


@dataclass(frozen=True)
class UndoingRoom:
    """Builds the parts of taking back."""

    _ground: Ground
    _ending: CardEnding
    _choosing: Choosing

    @cached_property
    def room(self) -> Room:
        journal, clock = self._ground.journal, self._ground.world.clock
        undo = UndoCommands(journal, self._rows, self._desk, self._waiting, clock)
        retry = RetryCommands(journal, self._rows, self._choosing, self._waiting, clock)
        return Room(
            commands=(*undo.table, *retry.table),
            desks=(self._desk, self.edits),
            beside={"sweep of old contents": self.sweep.run},
        )

    @cached_property
    def chore(self) -> UndoChore:
        store, door = self._ground.store, self._ground.world.workspace_door
        return UndoChore(UndoParts(store.file_changes, door, store.outbox, self._cards))

    @cached_property
    def edits(self) -> EditDesk:
        ground, store = self._ground, self._ground.store
        rows, clock = RowReader(ground.world.channels), ground.world.clock
        return EditDesk(
            ground.journal,
            store.inbox,
            rows,
            store.turns,
            store.outbox,
            self._waiting,
            ground.lanes(),
            clock,
        )

    @cached_property
    def _desk(self) -> UndoDesk:
        ground, days = self._ground, self._ground.policy.undo.days
        return UndoDesk(ground.journal, self._rows, ground.lanes(), ground.world.clock, days)

    @cached_property
    def sweep(self) -> UndoSweep:
        ground, store = self._ground, self._ground.store
        clock, bounds = ground.world.clock, ground.policy.undo
        return UndoSweep(
            store.file_changes, store.turns, self._cards, ground.journal, clock, bounds
        )

    @cached_property
    def _cards(self) -> CardsBack:
        return CardsBack(self._ground.store.approvals, self._ground.store.outbox)

    @property
    def _waiting(self) -> WaitingCards:
        return WaitingCards(self._ground.store.approvals, self._ending)

    @property
    def _rows(self) -> UndoRows:
        store = self._ground.store
        folders = OwnFolders(store.chats, self._ground.world.workspaces)
        return UndoRows(store.file_changes, store.turns, store.outbox, self._cards, folders)
