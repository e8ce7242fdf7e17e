"""The room of tasks: their clock, the companions of their runs, their commands, tools and desk."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property

from bot.domain.assignments.task import RunState, TaskState, is_run
from bot.domain.change import Change, SaveRun, SaveTask, SaveTurn, Write
from bot.domain.turn.turn import TurnState
from bot.flow.room import Ground, Room
from bot.flow.schedules.calls import TaskCalls
from bot.flow.schedules.changing import TaskChanging
from bot.flow.schedules.clockwork import Clockwork
from bot.flow.schedules.commands import AskedClock, TaskCommands
from bot.flow.schedules.companion import RunCompanion
from bot.flow.schedules.day_bounds import DayBounds
from bot.flow.schedules.firing import Firing
from bot.flow.schedules.gate import RunGate, line_up
from bot.flow.schedules.keeping import TaskKeeping
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.rezoning import Rezoning
from bot.flow.schedules.task_pages import TaskWords
from bot.flow.schedules.task_shelf import TaskShelf
from bot.flow.schedules.timetable import Timetable
from bot.flow.schedules.tools import task_tools
from bot.flow.ways.speakers import Speakers
from bot.ports.duties import Duty
from bot.ports.peers import QueuedRun

_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_UNDER_WAY = (RunState.QUEUED, RunState.RUNNING)


class ScheduleRoom:
    """Builds what makes tasks, starts their runs in a fair line, and keeps what they did."""

    def __init__(self, ground: Ground, asked_clock: AskedClock | None) -> None:
        self._ground = ground
        self._asked_clock = asked_clock
        self._scheduled = ground.store.scheduled
        self._bounds = ground.policy.schedules

    @cached_property
    def room(self) -> Room:
        store, clock = self._ground.store, self._ground.world.clock
        calls = TaskCalls(self._scheduled, store.approvals, clock)
        words = TaskWords(self._scheduled, self.timetable)
        commands = TaskCommands(
            self._scheduled, self.making, self.firing, words, calls, clock, self._asked_clock
        )
        changing = TaskChanging(
            self._scheduled,
            self.making,
            words,
            self._ground.journal,
            store.outbox,
            store.chats,
            clock,
        )
        shelf = TaskShelf(self._scheduled, self.making, self.timetable, store.people, clock)
        runs = RunCompanion(self._scheduled, Speakers(store.people, self._ground.zones), self._days)
        return Room(
            commands=commands.table,
            desks=(changing,),
            companions=(runs.answers, TaskKeeping(self._scheduled, self.making).answers),
            tools=task_tools(shelf),
            beside={"clock of tasks": self.clockwork.run},
            moved=self._moved,
        )

    @cached_property
    def timetable(self) -> Timetable:
        return Timetable(self._ground.world.cron, self._ground.world.moment_words)

    @cached_property
    def making(self) -> TaskMaking:
        store, zones = self._ground.store, self._ground.zones
        return TaskMaking(self._scheduled, self.timetable, store.chats, store.people, zones)

    @cached_property
    def rezoning(self) -> Rezoning:
        clock, chats = self._ground.world.clock, self._ground.store.chats
        return Rezoning(self._scheduled, chats, self.making, clock)

    @cached_property
    def firing(self) -> Firing:
        store = self._ground.store
        return Firing(
            self._scheduled,
            self._ground.journal,
            store.chats,
            store.turns,
            self.timetable,
            self._days,
            timedelta(hours=self._bounds.grace_hours),
        )

    @cached_property
    def clockwork(self) -> Clockwork:
        return Clockwork(
            self._scheduled,
            self.firing,
            self.timetable,
            self.gate,
            self._ground.journal,
            self._ground.world.clock,
            self._ground.interrupt,
        )

    @cached_property
    def gate(self) -> RunGate:
        """The line in which runs stand."""
        works = Duty.WORK in self._ground.world.duties
        at_once = self._bounds.at_once if works else 0
        return RunGate(self._ground.wake, self._ground.world.clock, at_once)

    @cached_property
    def _days(self) -> DayBounds:
        return DayBounds(self._scheduled, self._bounds)

    async def line_up(self) -> None:
        """Puts the runs from before the start into the line; to be called before chats wake."""
        await line_up(self._ground.store.turns, self.gate)

    def take_over(self, runs: Sequence[QueuedRun]) -> None:
        """Lines up runs of another process; calls of hooks and reflections do not stand in line."""
        for run in runs:
            if run.origin != "task":
                self._ground.wake(run.chat)
            elif not self.gate.holds(run.turn, run.chat):
                self.gate.add(run.turn, run.chat)
        self.gate.begin()

    def look(self) -> None:
        """Has the clock look again: another process has changed tasks or runs."""
        self.clockwork.wake(_LONG_AGO)

    def call_in(self) -> None:
        """Calls the first runs of the line in, as far as there is room."""
        self.gate.begin()

    def _moved(self, change: Change) -> None:
        """Notes that tasks or runs have moved: another one may be due, or find room."""
        for write in change.writes:
            self._moved_by(write)

    def _moved_by(self, write: Write) -> None:
        due = None
        match write:
            case SaveTask(task=task) if task.state is TaskState.ACTIVE:
                due = task.due
            case SaveRun(run=run):
                due = run.again_at
                if run.state not in _UNDER_WAY:
                    self.gate.over(run.turn, run.chat)
            case SaveTurn(turn=turn) if turn.state is TurnState.SETTLED and is_run(turn.id):
                self.gate.over(turn.id, turn.chat)
            case _:
                pass
        if due is not None:
            self.clockwork.wake(due)
