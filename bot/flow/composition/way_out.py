"""The way out: what is owed reaches its place, screens and indexes, and signs of life too."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from bot.domain.change import Change
from bot.flow.delivery.announcing import AnnouncingJournal
from bot.flow.delivery.courier import ToldOfMove
from bot.flow.delivery.delivery import Delivery
from bot.flow.delivery.giving_up import GivenUp
from bot.flow.delivery.looking import Looking
from bot.flow.delivery.office import DeliveryOffice
from bot.flow.delivery.outlet import Outlet, Reports
from bot.flow.delivery.pages_elsewhere import PagesElsewhere
from bot.flow.delivery.passed_on import PassedOnChannel, ShownForOthers
from bot.flow.delivery.seats import Admission
from bot.flow.delivery.unsent_files import UnsentFiles
from bot.flow.memory.indexing import Indexing
from bot.flow.policy import Policy
from bot.flow.signs.life_signs import Lives
from bot.flow.signs.placeholder import Placing
from bot.flow.signs.reactions import Reactions
from bot.flow.ways.stop_offer import StopOffers
from bot.flow.world import StorePorts, World
from bot.ports.bell import SCHEDULE_POST, Peal
from bot.ports.channel import Channel
from bot.ports.outbox import OutboxRow


@dataclass(eq=False)
class WayOut:
    """Builds delivery and indexing, the journal that announces to both, reactions and live drafts.

    `given_up` is called with a message that cannot be delivered, `told_of_move` when a chat moved,
    `voiced` when a voice note is owed, `moved` when errands, tasks or runs have moved.
    """

    _store: StorePorts
    _world: World
    _policy: Policy
    _given_up: GivenUp
    _told_of_move: ToldOfMove
    _voiced: Callable[[], None]
    _moved: Callable[[Change], None]

    @cached_property
    def journal(self) -> AnnouncingJournal:
        return AnnouncingJournal(
            self._store.journal,
            self.delivery.wake,
            self._index_owed if self._shared or self._world.meaning else self.indexing.wake,
            self._voiced,
            self._moved,
        )

    @property
    def _shared(self) -> bool:
        """True where other processes may work on the same database."""
        return self._store.peers.possible

    def _index_owed(self) -> None:
        if not self._store.posts.has(SCHEDULE_POST):
            self._store.bell.ring(Peal.BESIDE, 0)
        self.indexing.wake()
        if self._world.meaning is not None:
            self._world.meaning.wake()

    @cached_property
    def indexing(self) -> Indexing:
        store = self._store
        return Indexing(store.memory, store.words, store.journal, self._world.clock)

    @cached_property
    def delivery(self) -> Delivery:
        return Delivery(
            Outlet(
                self._store.outbox,
                self._world.channels,
                self._world.clock,
                self._world.store_works,
            ),
            Reports(self._never_shown, self._told_of_move),
            self._policy.limits.card_seconds,
            admission=Admission(
                self._world.clock,
                self._store.peers,
                self.office if self._shared else None,
            ),
        )

    @cached_property
    def office(self) -> DeliveryOffice:
        """The post of the process that delivers to platforms."""
        store = self._store
        duties, alone = self._world.duties, not self._shared
        return DeliveryOffice(store.chats, store.bell, store.posts, duties, alone=alone)

    @cached_property
    def pages_elsewhere(self) -> PagesElsewhere:
        return PagesElsewhere(self.office, self._world.clock.steady, self._world.overhear)

    @cached_property
    def shown_for_others(self) -> ShownForOthers:
        return ShownForOthers(self._world.channels, self._world.overhear)

    @cached_property
    def _signed(self) -> Mapping[str, Channel]:
        """The channels of signs of life, which the process that delivers shows."""
        channels = self._world.channels
        if not self._shared:
            return channels
        office, pages = self.office, self.pages_elsewhere
        return {name: PassedOnChannel(one, office, pages) for name, one in channels.items()}

    async def _never_shown(self, row: OutboxRow, why: str) -> None:
        await UnsentFiles(self.journal).tell(row, why)
        await self._given_up(row, why)

    @cached_property
    def reactions(self) -> Reactions:
        return Reactions(self._signed, self._world.clock)

    @cached_property
    def lives(self) -> Lives:
        world = self._world
        offers = StopOffers(self.journal, self._store.outbox, world.clock)
        return Lives(self._signed, world.clock, self.reactions, self.placing, offers.of)

    @cached_property
    def placing(self) -> Placing:
        looking = Looking(self._store.outbox)
        screen = self.delivery.passing
        return Placing(self.journal, self.delivery.wake, screen, looking, self._world.clock)
