"""Calls of other programs, put together."""

from collections.abc import Callable
from functools import cached_property

from bot.domain.change import SaveHookCall
from bot.domain.clock.zones import Zones
from bot.flow.composition.way_out import WayOut
from bot.flow.groups.absence import Absence
from bot.flow.hooks.companion import HookCompanion
from bot.flow.hooks.places import HookPlaces
from bot.flow.hooks.proving import Proving
from bot.flow.hooks.reception import Reception
from bot.flow.hooks.service import HookService
from bot.flow.hooks.status import TheHooks
from bot.flow.hooks.tries import HookTries
from bot.flow.turn.companion import Companions
from bot.flow.ways.speakers import Speakers
from bot.flow.world import StorePorts, World
from bot.ports.lanes import Lanes


class HookParts:
    """Builds the reception of calls, and the companion that carries them out."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        way_out: WayOut,
        zones: Zones,
        lanes: Callable[[], Lanes],
    ) -> None:
        self._store = store
        self._world = world
        self._way_out = way_out
        self._zones = zones
        self._lanes = lanes

    @cached_property
    def service(self) -> HookService | None:
        """The service behind the door; None when no call is taken."""
        hooks, store, world = self._world.hooks, self._store, self._world
        if hooks is None:
            return None
        proving = Proving(hooks, world.clock)
        places = HookPlaces(store.people, store.chats, Absence(store.ledger), world.channels.keys)
        journal = self._way_out.journal
        reception = Reception(proving, store.hook_calls, places, journal, world.clock)
        return HookService(
            reception,
            proving,
            store.hook_calls,
            journal,
            store.turns,
            lambda chat: self._lanes().wake(chat),
        )

    @cached_property
    def _tries(self) -> HookTries:
        store, journal = self._store, self._way_out.journal
        return HookTries(store.hook_calls, store.turns, store.people, journal, self._world.clock)

    def changed(self, write: SaveHookCall) -> None:
        """Notes that a call has moved: it may be tried again."""
        if write.call.again_at is not None:
            self._tries.failed()

    async def run(self) -> None:
        """Begins the next tries of failed runs until it is cancelled."""
        await self._tries.run(self._lanes())

    @property
    def status(self) -> TheHooks:
        """The part of the status about hooks."""
        return TheHooks(self._world.hooks, self._store.hook_calls)

    @property
    def companions(self) -> Companions:
        speakers = Speakers(self._store.people, self._zones)
        return (HookCompanion(self._store.hook_calls, speakers),)
