"""Meets a due time: one transaction writes its run, the turn, and the next time of the task."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfoNotFoundError

from bot.domain.assignments.task import (
    AT_WORK,
    LATE_SECONDS,
    Overlap,
    RunState,
    TaskRun,
    TaskState,
    TimedTask,
    turn_of,
)
from bot.domain.change import AddRun, AskStop, Change, DropRuns, SaveRun, SaveTask, SaveTurn, Write
from bot.domain.clock.when import Once
from bot.domain.talk.errors import Conflict, NoSuchChat
from bot.domain.turn.turn import BOT_GONE
from bot.domain.value import frozen, replace
from bot.flow.schedules.day_bounds import DayBounds
from bot.flow.schedules.runs import queued, turn_for
from bot.flow.schedules.timetable import Timetable
from bot.ports.chats import Chats
from bot.ports.journal import Journal
from bot.ports.scheduled import TaskRows
from bot.ports.turns import TurnRows

REPLACED = "the next run of the task"
"""The text of `stop_asked` of a run that a newer one replaces."""

_KEPT = timedelta(days=400)
"""The time for which a run is kept: a clock that is set back by a year repeats nothing."""

_SKIPPED_KEPT = timedelta(days=30)
MOST_RUNS = 20_000
"""Runs of one task that are kept: 400 days of as many as a day may have by default."""

STILL_AT_WORK = "the run before was still running"


@frozen
class Fired:
    """The chat of a due time that was met, and the turn that carries it out."""

    chat: int
    turn: str = ""
    """The turn of the run; empty when none began."""
    interrupts: bool = False
    """True when a running run of the chat must look at its request to stop."""


@frozen
class Firing:
    """Meets due times; a Conflict means that another process met this one."""

    _scheduled: TaskRows
    _journal: Journal
    _chats: Chats
    _turns: TurnRows
    _timetable: Timetable
    _bounds: DayBounds
    _grace: timedelta

    async def meet(self, task: TimedTask, now: datetime) -> Fired:
        """Runs a task for its newest time that has come, or notes why it does not run."""
        try:
            return await self._meet(task, now)
        except NoSuchChat:
            await self._pause(task, BOT_GONE)
        except ZoneInfoNotFoundError:
            await self._pause(task, f"there is no time zone {task.zone} any more")
        except Conflict:
            known = await self._scheduled.get(task.id)
            if known is None or known.version != task.version:
                raise
            # A clock that was set back brings a time again that has its run already.
            await self._journal.commit(Change((SaveTask(self._planned(task, now), task.version),)))
        return Fired(task.chat)

    async def now(self, task: TimedTask, at: datetime) -> tuple[Write, ...] | str:
        """Returns the writes of a run that a person asks for, or the reason why it does not run.

        `at` stands for its due time; there is nothing to write when that has its run already.
        """
        runs = await self._scheduled.runs(task.id, at)
        met = next((one for one in runs if one.due == at), None)
        if met is not None:
            return met.why if met.state is RunState.SKIPPED else ()
        why = await self._bounds.reached(task, await self._bounds.runs(task, at))
        run = _begun(task, at, at)
        return why or (AddRun(run), *queued(task, run, await self._conversation(task), at))

    async def again(self, run: TaskRun, now: datetime) -> Fired:
        """Begins the next try of a failed run, in the conversation of the last one."""
        task, last = await self._scheduled.get(run.task), await self._turns.get(run.turn)
        if task is None or last is None or task.state is TaskState.PAUSED:
            over = run.ended(RunState.STOPPED, now, "the task was paused")
            await self._journal.commit(Change((SaveRun(over),)))
            return Fired(run.chat)
        tries = run.tries + 1
        turn = turn_of(task.id, run.due, tries)
        next_try = replace(
            run, turn=turn, tries=tries, state=RunState.QUEUED, again_at=None, ended_at=None
        )
        begun = SaveTurn(turn_for(task, next_try, last.conversation, now))
        # The version of the task lets one process alone begin this try.
        moved = SaveTask(task.changed(), task.version)
        await self._journal.commit(Change((moved, SaveRun(next_try), begun)))
        return Fired(task.chat, turn)

    async def _meet(self, task: TimedTask, now: datetime) -> Fired:
        met = self._timetable.missed(task, now, self._grace)
        planned = self._planned(task, now)
        if met is None:
            await self._journal.commit(Change((SaveTask(planned, task.version),)))
            return Fired(task.chat)
        run = _begun(task, met, now)
        today = await self._bounds.runs(task, now)
        tidy = () if today else (_old(task, now),)
        at_work = [one for one in today if one.state in AT_WORK]
        why = await self._bounds.reached(task, today)
        if at_work and task.overlap is Overlap.SKIP:
            why = STILL_AT_WORK
        if why:
            skipped = run.ended(RunState.SKIPPED, now, why)
            known = (SaveTask(planned, task.version), AddRun(skipped))
            await self._journal.commit(Change((*known, *tidy)))
            return Fired(task.chat)
        stops = at_work if task.overlap is Overlap.REPLACE else ()
        turn = queued(task, run, await self._conversation(task), now)
        known = (SaveTask(planned, task.version), AddRun(run))
        await self._journal.commit(Change((*known, *turn, *_replaced(stops, now), *tidy)))
        return Fired(task.chat, run.turn, interrupts=bool(stops))

    async def _conversation(self, task: TimedTask) -> str | None:
        """Returns the conversation of the chat; None when the run gets one of its own."""
        return None if task.fresh else (await self._chats.get(task.chat)).conversation

    def _planned(self, task: TimedTask, now: datetime) -> TimedTask:
        """Returns the task with its next time; a single moment has none."""
        due = max(task.due or now, now)
        coming = None if isinstance(task.rule, Once) else self._timetable.next_of(task, due)
        state = TaskState.ACTIVE if coming is not None else TaskState.DONE
        return task.changed(due=coming, planned_at=now, state=state)

    async def _pause(self, task: TimedTask, why: str) -> None:
        paused = task.changed(state=TaskState.PAUSED, why=why)
        await self._journal.commit(Change((SaveTask(paused, task.version),)))


def _old(task: TimedTask, now: datetime) -> DropRuns:
    """Returns the write that removes old runs; the first run of a day carries it along."""
    return DropRuns(task.id, now - _KEPT, now - _SKIPPED_KEPT, MOST_RUNS)


def _begun(task: TimedTask, due: datetime, now: datetime) -> TaskRun:
    late = now - due > timedelta(seconds=LATE_SECONDS)
    return TaskRun(task.id, due, turn_of(task.id, due, 1), task.chat, now, late=late)


def _replaced(runs: Sequence[TaskRun], now: datetime) -> tuple[Write, ...]:
    """Returns the writes that stop other runs; one that waits for another try just ends."""
    return tuple(
        SaveRun(one.ended(RunState.STOPPED, now, REPLACED))
        if one.state is RunState.AGAIN
        else AskStop(one.turn, REPLACED)
        for one in runs
    )
