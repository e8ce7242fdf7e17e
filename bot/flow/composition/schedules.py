"""Tasks that run at their times, and beside them the calls of other programs, put together."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cached_property

from bot.domain.assignments.task import RunState, TaskState, is_run
from bot.domain.change import Change, SaveHookCall, SaveRun, SaveTask, SaveTurn
from bot.domain.clock.zones import Zones
from bot.domain.turn.turn import TurnState
from bot.flow.composition.goals import GoalParts
from bot.flow.composition.hooks import HookParts
from bot.flow.composition.way_out import WayOut
from bot.flow.schedules.bounds import DayBounds
from bot.flow.schedules.clockwork import Clockwork
from bot.flow.schedules.companion import RunCompanion
from bot.flow.schedules.firing import Firing
from bot.flow.schedules.gate import RunGate
from bot.flow.schedules.held_runs import HeldRuns
from bot.flow.schedules.keeping import TaskKeeping
from bot.flow.schedules.lining_up import line_up
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.timetable import Timetable
from bot.flow.turn.companion import Companions
from bot.flow.ways.speakers import Speakers
from bot.flow.world import Policy, StorePorts, World
from bot.ports.journal import Journal
from bot.ports.lanes import Lanes
from bot.ports.peers import QueuedRun

_UNDER_WAY = (RunState.QUEUED, RunState.RUNNING)


class ScheduleParts:
    """Builds the clock of tasks, the companions of tasks and runs, goals, and hooks."""

    def __init__(
        self,
        store: StorePorts,
        world: World,
        policy: Policy,
        way_out: WayOut,
        zones: Zones,
        lanes: Callable[[], Lanes],
    ) -> None:
        self._store = store
        self._world = world
        self._policy = policy
        self._bounds = policy.schedules
        self._way_out = way_out
        self._zones = zones
        self._lanes = lanes

    def changed(self, change: Change) -> None:
        """Notes that tasks or runs have moved: another one may be due, or find room."""
        for write in change.writes:
            due = None
            if isinstance(write, SaveTask) and write.task.state is TaskState.ACTIVE:
                due = write.task.due
            elif isinstance(write, SaveRun):
                due = write.run.again_at
                if write.run.state not in _UNDER_WAY:
                    self._gate.over(write.run.turn, write.run.chat)
            elif isinstance(write, SaveTurn):
                if write.turn.state is TurnState.SETTLED and is_run(write.turn.id):
                    self._gate.over(write.turn.id, write.turn.chat)
            elif isinstance(write, SaveHookCall):
                self.hooks.changed(write)
            if due is not None:
                self.clockwork.wake(due)

    @cached_property
    def timetable(self) -> Timetable:
        return Timetable(self._world.cron, self._world.moment_words)

    @cached_property
    def making(self) -> TaskMaking:
        store = self._store
        return TaskMaking(store.scheduled, self.timetable, store.chats, store.people, self._zones)

    @cached_property
    def firing(self) -> Firing:
        store = self._store
        return Firing(
            store.scheduled,
            self._way_out.journal,
            store.chats,
            store.turns,
            self.timetable,
            self._days,
            timedelta(hours=self._bounds.grace_hours),
        )

    @cached_property
    def clockwork(self) -> Clockwork:
        return Clockwork(
            self._store.scheduled,
            self.firing,
            self.timetable,
            self._gate,
            self._way_out.journal,
            self._world.clock,
            lambda chat: self._lanes().interrupt(chat),
        )

    @cached_property
    def _gate(self) -> RunGate:
        return RunGate(
            lambda chat: self._lanes().wake(chat), self._world.clock, self._bounds.at_once
        )

    async def line_up(self) -> None:
        """Puts the runs from before the start into the line; to be called before chats wake."""
        await line_up(self._store.turns, self._gate)

    def take_over(self, runs: Sequence[QueuedRun]) -> None:
        """Lines up runs of another process; calls of hooks and reflections do not stand in line."""
        for run in runs:
            if run.origin != "task":
                self._lanes().wake(run.chat)
            elif not self._gate.holds(run.turn, run.chat):
                self._gate.add(run.turn, run.chat)
        self._gate.begin()

    def call_in(self) -> None:
        """Calls the first runs of the line in, as far as there is room."""
        self._gate.begin()

    def held(self, journal: Journal) -> HeldRuns:
        """Returns the journal for queues of chats, in which runs stand in line."""
        return HeldRuns(journal, self._gate)

    @cached_property
    def _days(self) -> DayBounds:
        return DayBounds(self._store.scheduled, self._bounds)

    @cached_property
    def hooks(self) -> HookParts:
        return HookParts(self._store, self._world, self._way_out, self._zones, self._lanes)

    @cached_property
    def goals(self) -> GoalParts:
        return GoalParts(
            self._store,
            self._world,
            self._policy,
            self._way_out,
            self.making,
            self.timetable,
            self.firing,
        )

    @property
    def companions(self) -> Companions:
        speakers = Speakers(self._store.people, self._zones)
        scheduled = self._store.scheduled
        runs = RunCompanion(scheduled, speakers, self._days)
        tasks = TaskKeeping(scheduled, self.making)
        return (self.goals.opening, runs, tasks, self.goals.keeping, *self.hooks.companions)
