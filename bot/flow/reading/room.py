"""The room of reading: it puts messages together, and keeps, reads and sweeps their files."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.money.till import Till
from bot.flow.reading.attachments import Enclosures
from bot.flow.reading.gathering import Gathering
from bot.flow.reading.inbox_sweep import InboxSweep
from bot.flow.reading.kept_files import Keeping
from bot.flow.reading.listening import Listening
from bot.flow.reading.message_reader import MessageReader
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.flow.room import Ground
from bot.flow.signs.life_signs import Lives


@dataclass(eq=False)
class ReadingRoom:
    """Builds the parts that read messages and their files; recordings are paid from the till."""

    _ground: Ground
    _till: Till
    _lives: Lives

    @cached_property
    def gathering(self) -> Gathering:
        ground = self._ground
        return Gathering(self.rows, self.messages, ground.world.clock, ground.policy.bundles)

    @cached_property
    def messages(self) -> MessageReader:
        ground, store, clock = self._ground, self._ground.store, self._ground.world.clock
        people, outbox, zones = store.people, store.outbox, ground.zones
        return MessageReader(self.rows, people, self._enclosures, self._lives, clock, zones, outbox)

    @property
    def _enclosures(self) -> Enclosures:
        world, policy, ground = self._ground.world, self._ground.policy, self._ground
        received, folder = ground.store.received, world.inbox_folder
        keeping = Keeping(received, folder, ground.journal, world.workspaces, world.clock)
        return Enclosures(
            world.files,
            world.reader,
            keeping,
            world.clock,
            policy.limits,
            policy.enclosures,
            self._listening,
        )

    @property
    def _listening(self) -> Listening | None:
        hearing, clock = self._ground.world.hearing, self._ground.world.clock
        if hearing is None:
            return None
        return Listening(hearing, self._ground.store.voice, self._till, self._ground.journal, clock)

    @cached_property
    def overhearing(self) -> Overhearing:
        store, journal = self._ground.store, self._ground.journal
        return Overhearing(store.inbox, store.chats, store.people, journal, self.rows)

    @cached_property
    def sweep(self) -> InboxSweep:
        ground, world, store = self._ground, self._ground.world, self._ground.store
        return InboxSweep(
            store.received,
            world.inbox_folder,
            store.chats,
            ground.journal,
            world.workspaces,
            world.clock,
            ground.policy.inbox.days,
        )

    @cached_property
    def rows(self) -> RowReader:
        return RowReader(self._ground.world.channels)
