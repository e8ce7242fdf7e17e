"""The way in: fragments become one message, and its files are kept and read."""

from functools import cached_property

from bot.flow.composition.way_out import WayOut
from bot.flow.money.till import Till
from bot.flow.reading.attachments import Enclosures
from bot.flow.reading.gathering import Gathering
from bot.flow.reading.inbox_sweep import InboxSweep
from bot.flow.reading.kept_files import Keeping
from bot.flow.reading.listening import Listening
from bot.flow.reading.message_reader import MessageReader
from bot.flow.reading.row_reader import RowReader
from bot.flow.room import Ground


class WayIn:
    """Builds the parts that read messages, and that keep and sweep their files."""

    def __init__(self, ground: Ground, way_out: WayOut, till: Till) -> None:
        self._ground = ground
        self._store = ground.store
        self._world = ground.world
        self._way_out = way_out
        self._till = till

    @cached_property
    def gathering(self) -> Gathering:
        bundles = self._ground.policy.bundles
        return Gathering(self.rows, self.message_reader, self._world.clock, bundles)

    @cached_property
    def message_reader(self) -> MessageReader:
        world, policy = self._world, self._ground.policy
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
            self._ground.zones,
            self._store.outbox,
        )

    @property
    def _listening(self) -> Listening | None:
        hearing, clock = self._world.hearing, self._world.clock
        if hearing is None:
            return None
        return Listening(hearing, self._store.voice, self._till, self._ground.journal, clock)

    @property
    def _keeping(self) -> Keeping:
        world = self._world
        return Keeping(
            self._store.received,
            world.inbox_folder,
            self._ground.journal,
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
            self._ground.journal,
            world.workspaces,
            world.clock,
            self._ground.policy.inbox.days,
        )

    @cached_property
    def rows(self) -> RowReader:
        return RowReader(self._world.channels)
