"""The room of upkeep: the nights, and the part of the status about what is kept."""

from dataclasses import dataclass
from functools import cached_property

from bot.flow.room import Ground, Room
from bot.flow.upkeep.nights import Nights
from bot.flow.upkeep.status import WhatIsKept


@dataclass(frozen=True)
class UpkeepRoom:
    _ground: Ground

    @cached_property
    def room(self) -> Room:
        store, world = self._ground.store, self._ground.world
        nights = Nights(
            store.upkeep,
            store.outbox,
            store.people,
            world.clear_copies,
            self._ground.zones,
            world.clock,
            self._ground.policy.keep,
        )
        return Room(status=(WhatIsKept(store.upkeep),), beside={"nights": nights.run})
