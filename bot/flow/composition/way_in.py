"""The way in: fragments become one message, and its files are kept and read."""

from functools import cached_property

from bot.domain.clock.zones import Zones
from bot.flow.composition.way_out import WayOut
from bot.flow.money.till import Till
from bot.flow.reading.attachments import Enclosures
from bot.flow.reading.gathering import Gathering
from bot.flow.reading.kept_files import Keeping
from bot.flow.reading.listening import Listening
from bot.flow.reading.message_reader import MessageReader
from bot.flow.reading.row_reader import RowReader
from bot.flow.reading.sweeping import InboxSweep
from bot.flow.world import Policy, StorePorts, World


class WayIn:
    """Builds the parts that read messages, and that keep and sweep their files."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        way_out: WayOut,
        till: Till | None,
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._way_out = way_out
        self._till = till

    @cached_property
    def gathering(self) -> Gathering:
        return Gathering(self.rows, self.message_reader, self._world.clock, self._policy.bundles)

    @cached_property
    def message_reader(self) -> MessageReader:
        world, policy = self._world, self._policy
        enclosures = Enclosures(
            world.files,
            world.reader,
            self._keeping,
            world.clock,
            policy.limits,
            policy.enclosures,
            self._listening,
        )
        return MessageReader(
            self.rows,
            self._store.people,
            enclosures,
            self._way_out.lives,
            world.clock,
            self.zones,
            self._store.outbox,
        )

    @property
    def _listening(self) -> Listening | None:
        hearing = self._world.hearing
        if hearing is None:
            return None
        return Listening(
            hearing, self._store.voice, self.till, self._way_out.journal, self._world.clock
        )

    @cached_property
    def till(self) -> Till:
        """Returns the one till of the program: the given one, if something outside is paid too."""
        if self._till is not None:
            return self._till
        store, clock, budgets = self._store, self._world.clock, self._policy.budgets
        return Till(store.ledger, self._way_out.journal, store.people, self.zones, clock, budgets)

    @property
    def _keeping(self) -> Keeping:
        world = self._world
        return Keeping(
            self._store.received,
            world.inbox_folder,
            self._way_out.journal,
            world.workspaces,
            world.clock,
        )

    @cached_property
    def sweep(self) -> InboxSweep:
        world, store = self._world, self._store
        return InboxSweep(
            store.received,
            world.inbox_folder,
            store.chats,
            self._way_out.journal,
            world.workspaces,
            world.clock,
            self._policy.inbox_days,
        )

    @cached_property
    def rows(self) -> RowReader:
        return RowReader(self._world.channels)

    @cached_property
    def zones(self) -> Zones:
        return Zones(self._policy.timezone)
