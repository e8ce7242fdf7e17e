"""The room of ways on: their companions, and the desk that takes presses below ends of turns."""

from functools import cached_property

from bot.flow.room import Ground, Room
from bot.flow.ways.companion import WaysCompanion
from bot.flow.ways.desk import WaysDesk
from bot.flow.ways.many_rounds import ManyRounds
from bot.flow.ways.speakers import Speakers


class WayRoom:
    """Builds what puts buttons below ends, and what a press of one does."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    @cached_property
    def room(self) -> Room:
        ground, store, policy = self._ground, self._ground.store, self._ground.policy
        speakers = Speakers(store.people, ground.zones)
        ways = WaysCompanion(store.outbox, speakers, (policy.model, *policy.fallback_models))
        journal, lanes, clock = ground.journal, ground.lanes(), ground.world.clock
        return Room(
            desks=(WaysDesk(journal, store.turns, store.outbox, store.people, lanes, clock),),
            companions=(ways.answers, ManyRounds(store.outbox).answers),
        )
