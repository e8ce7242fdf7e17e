"""The room of hooks: calls of other programs are received, kept, and carried out by turns."""

from functools import cached_property

from bot.domain.change import Change, SaveHookCall
from bot.flow.groups.absence import Absence
from bot.flow.hooks.companion import HookCompanion
from bot.flow.hooks.places import HookPlaces
from bot.flow.hooks.proving import Proving
from bot.flow.hooks.reception import Reception
from bot.flow.hooks.service import HookService
from bot.flow.hooks.status import TheHooks
from bot.flow.hooks.tries import HookTries
from bot.flow.room import Ground, Room
from bot.flow.ways.speakers import Speakers


class HookRoom:
    """Builds the reception of calls, and the companion that carries them out."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def room(self) -> Room:
        ground, calls = self._ground, self._ground.store.hook_calls
        return Room(
            companions=(HookCompanion(calls, Speakers(ground.store.people, ground.zones)).answers,),
            status=(TheHooks(ground.world.hooks, calls),),
            beside={"tries of hooks": self._run},
            moved=self._moved,
        )

    @cached_property
    def service(self) -> HookService | None:
        """The service behind the door; None when no call is taken."""
        ground, store, world = self._ground, self._ground.store, self._ground.world
        if world.hooks is None:
            return None
        proving = Proving(world.hooks, world.clock)
        places = HookPlaces(store.people, store.chats, Absence(store.ledger), world.channels.keys)
        reception = Reception(proving, store.hook_calls, places, ground.journal, world.clock)
        return HookService(
            reception, proving, store.hook_calls, ground.journal, store.turns, ground.wake
        )

    @cached_property
    def _tries(self) -> HookTries:
        ground, store = self._ground, self._ground.store
        clock = ground.world.clock
        return HookTries(store.hook_calls, store.turns, store.people, ground.journal, clock)

    def _moved(self, change: Change) -> None:
        """Notes that a call has moved: it may be tried again."""
        for write in change.writes:
            if isinstance(write, SaveHookCall) and write.call.again_at is not None:
                self._tries.failed()

    def look(self) -> None:
        """Has the tries look again: another process has changed calls."""
        self._tries.failed()

    async def _run(self) -> None:
        await self._tries.run(self._ground.lanes())
