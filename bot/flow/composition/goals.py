"""Goals, put together: their companions, their desk, and what their commands need."""

from collections.abc import Mapping
from functools import cached_property

from bot.flow.approvals.desks import Desk
from bot.flow.composition.way_out import WayOut
from bot.flow.goals.desk import PREFIX, GoalDesk
from bot.flow.goals.keeping import GoalKeeping
from bot.flow.goals.opening import GoalOpening
from bot.flow.goals.planning import GoalPlanning
from bot.flow.goals.room import GoalRoom
from bot.flow.goals.status import TheGoals
from bot.flow.goals.updates import GoalUpdates
from bot.flow.schedules.firing import Firing
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.timetable import Timetable
from bot.flow.world import Policy, StorePorts, World


class GoalParts:
    """Builds what opens, bounds and keeps the runs of goals."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        way_out: WayOut,
        making: TaskMaking,
        timetable: Timetable,
        firing: Firing,
    ) -> None:
        self._store = store
        self._clock = world.clock
        self._bounds = policy.goals
        self._journal = way_out.journal
        self._making = making
        self._timetable = timetable
        self._firing = firing

    @cached_property
    def planning(self) -> GoalPlanning:
        store = self._store
        return GoalPlanning(store.goals, store.scheduled, self._making, self._timetable)

    @cached_property
    def opening(self) -> GoalOpening:
        """Returns the companion before the one of runs."""
        return GoalOpening(self._store.goals, self._store.scheduled, self._bounds)

    @cached_property
    def keeping(self) -> GoalKeeping:
        """Returns the companion behind the one of runs."""
        goals, scheduled = self._store.goals, self._store.scheduled
        updates = GoalUpdates(goals, scheduled, self.planning)
        return GoalKeeping(self.opening, goals, scheduled, updates)

    @cached_property
    def desk(self) -> GoalDesk:
        return GoalDesk(self._store.goals, self.planning, self._journal, self._clock)

    @property
    def desks(self) -> Mapping[str, Desk]:
        """Returns the desk that takes answers, by the letter of its buttons' data."""
        return {PREFIX: self.desk}

    @property
    def status(self) -> TheGoals:
        """Returns the part of the status about goals."""
        return TheGoals(self._store.goals, self._store.scheduled)

    @cached_property
    def room(self) -> GoalRoom:
        store = self._store
        return GoalRoom(
            store.goals, store.scheduled, self.planning, self._firing, self.desk, self._clock
        )
