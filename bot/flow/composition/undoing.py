"""Taking back, put together: the turn that does it, the desk, the sweep and the command."""

from collections.abc import Callable, Mapping
from functools import cached_property

from bot.domain.tools.file_change import PREFIX
from bot.flow.approvals.desks import Desk
from bot.flow.approvals.undecided import CardEnding
from bot.flow.commanding.table import Command
from bot.flow.models.choosing import Choosing
from bot.flow.reading.row_reader import RowReader
from bot.flow.undoing.cards_back import CardsBack
from bot.flow.undoing.chore import UndoChore, UndoParts
from bot.flow.undoing.commands import UndoCommands
from bot.flow.undoing.desk import UndoDesk, UndoRows
from bot.flow.undoing.edits import PREFIX as EDITS
from bot.flow.undoing.edits import EditDesk
from bot.flow.undoing.own_folders import OwnFolders
from bot.flow.undoing.retrying import RetryCommands
from bot.flow.undoing.sweeping import UndoSweep
from bot.flow.world import Policy, StorePorts, World
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes


class Undoing:
    """Builds the parts of taking back."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        journal: Journal,
        lanes: Callable[[], Lanes],
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._journal = journal
        self._lanes = lanes

    @cached_property
    def chore(self) -> UndoChore:
        store = self._store
        door = self._world.workspace_door
        return UndoChore(UndoParts(store.file_changes, door, store.outbox, self._cards))

    @cached_property
    def desk(self) -> UndoDesk:
        days = self._policy.undo.days
        return UndoDesk(self._journal, self._rows, self._lanes(), self._world.clock, days)

    @cached_property
    def edits(self) -> EditDesk:
        store, world = self._store, self._world
        rows, lanes = RowReader(world.channels), self._lanes()
        outbox, turns = store.outbox, store.turns
        return EditDesk(self._journal, store.inbox, rows, turns, outbox, lanes, world.clock)

    @property
    def desks(self) -> Mapping[str, Desk]:
        """Returns the desks by the first letter of their buttons' data."""
        return {PREFIX: self.desk, EDITS: self.edits}

    @cached_property
    def sweep(self) -> UndoSweep:
        store, clock, bounds = self._store, self._world.clock, self._policy.undo
        changes, turns = store.file_changes, store.turns
        return UndoSweep(changes, turns, self._cards, self._journal, clock, bounds)

    def commands(self, ending: CardEnding, choosing: Choosing) -> tuple[Command, ...]:
        """Returns `/undo` and `/retry`."""
        approvals, clock = self._store.approvals, self._world.clock
        undo = UndoCommands(self._journal, self._rows, self.desk, approvals, ending, clock)
        retry = RetryCommands(self._journal, self._rows, choosing, clock)
        return (*undo.table, *retry.table)

    @cached_property
    def _cards(self) -> CardsBack:
        return CardsBack(self._store.approvals, self._store.outbox)

    @property
    def _rows(self) -> UndoRows:
        store = self._store
        folders = OwnFolders(store.chats, self._world.workspaces)
        return UndoRows(store.file_changes, store.turns, store.outbox, self._cards, folders)
