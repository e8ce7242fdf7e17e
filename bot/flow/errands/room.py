"""The room of errands: turns give tasks to turns of their own, and take their results."""

from functools import cached_property

from bot.domain.assignments.errand import Errand, ErrandState
from bot.domain.change import Change, SaveErrand
from bot.flow.errands.companion import ErrandCompanion
from bot.flow.errands.sending import Sending
from bot.flow.errands.tools import Delegate
from bot.flow.errands.wishes import Wishes
from bot.flow.models.choosing import Choosing
from bot.flow.room import Ground, Room


class ErrandRoom:
    """Builds the companion that sends errands out, and wakes the lanes that errands concern."""

    def __init__(self, ground: Ground, choosing: Choosing) -> None:
        self._ground = ground
        self._choosing = choosing

    @cached_property
    def room(self) -> Room:
        ground, store = self._ground, self._ground.store
        wishes = Wishes(ground.world.skills, self._choosing)
        companion = ErrandCompanion(
            Sending(store.chats, wishes),
            wishes,
            self._choosing,
            store.turns,
            ground.zones,
            ground.policy.limits,
            ground.policy.plan_explore,
        )
        tools = (Delegate(store.errands),) if ground.policy.limits.errands else ()
        return Room(companions=(companion.answers,), tools=tools, moved=self._moved)

    def _moved(self, change: Change) -> None:
        for write in change.writes:
            if isinstance(write, SaveErrand):
                self._errand_moved(write)

    def _errand_moved(self, write: SaveErrand) -> None:
        """Wakes the lane that an errand concerns: its home, or the chat of its parent."""
        errand: Errand = write.errand
        if write.recalls:
            self._ground.interrupt(errand.home)
        elif write.expect is None:
            self._ground.wake(errand.home)
        elif errand.state is not ErrandState.WORKING and not errand.taken:
            self._ground.wake(errand.chat)
