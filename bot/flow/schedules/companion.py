"""A companion of turns that carries out runs: it opens them, bounds them, and sees how they end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from weakref import WeakKeyDictionary

from bot.domain.assignments.task import RunState, TaskRun, TaskState, TimedTask, is_run
from bot.domain.change import SaveRun, SaveTask, Write
from bot.domain.consent.consent import Difference
from bot.domain.loop.contribution import Agreed, Aside, Briefing, Ended, Share, Stance
from bot.domain.loop.verdict import LoopState
from bot.domain.talk.reach import Reach
from bot.domain.tools.house import END_CONVERSATION
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import OpenCall
from bot.domain.turn.step import Finish
from bot.domain.turn.turn import Turn, TurnState
from bot.domain.value import field, frozen
from bot.flow.log.companion import Companion, Results
from bot.flow.log.concern import of_runs
from bot.flow.log.request_view import ViewFold
from bot.flow.log.work import Work
from bot.flow.schedules.day_bounds import DayBounds
from bot.flow.schedules.firing import REPLACED
from bot.flow.schedules.unwatched import (
    FAILED,
    NOT_ITS_OWN,
    next_try,
    reported_nothing,
)
from bot.flow.schedules.wording import footer, opened
from bot.flow.ways.speakers import Speakers
from bot.ports.journal import Agenda
from bot.ports.scheduled import TaskRows
from bot.ports.tool import Tool

_REASONS = {
    Difference.DANGER: "This call is dangerous, so it asks although its task allows it",
    Difference.PLACE: "Its task allows this call in another place, or without these variables",
}

PAUSED_AFTER = "{count} runs in a row failed"


@dataclass(slots=True)
class _Kept:
    """The memory about one turn, for as long as its `Work` lives."""

    run: TaskRun
    task: TimedTask | None
    """The task; None when it was deleted."""


@frozen
class RunCompanion:
    """Takes part in the turns of runs alone."""

    _scheduled: TaskRows
    _speakers: Speakers
    _bounds: DayBounds
    _turns: WeakKeyDictionary[Work, _Kept] = field(default_factory=WeakKeyDictionary, init=False)

    @property
    def answers(self) -> Companion:
        return Companion(
            of_runs,
            taken_up=self.taken_up,
            state=self.state,
            stance=self.stance,
            briefing=self.briefing,
            parked=self.parked,
            ended=self.ended,
            set_aside=self.set_aside,
        )

    async def taken_up(self, work: Work, row: Turn, agenda: Agenda) -> Share:
        kept = await self._look(work)
        if kept is None:
            return Share(row)
        # A person may have bounded the task since the run was queued, or while it waited.
        row = row if kept.task is None else replace(row, mandate=row.mandate.met(kept.task.of_runs))
        begun = replace(kept.run, state=RunState.RUNNING)
        kept.run, task = begun, kept.task
        speaker = await self._speakers.of(work)
        if task is None or speaker is None or work.turn.state is not TurnState.QUEUED:
            return Share(row, writes=(SaveRun(begun),), purpose=task.what if task else "")
        bodies = opened(task, begun, work.log.chat, speaker)
        return Share(row, bodies, (SaveRun(begun),), task.what)

    async def _look(self, work: Work) -> _Kept | None:
        """Reads the rows of a run again; returns None for a turn that is none."""
        if work.turn.origin != "task":
            return None
        found = await self._scheduled.run_of(work.turn.id)
        if found is None:
            gone = TaskRun("", work.turn.created_at, work.turn.id, work.turn.chat, work.clock.now())
            return self._turns.setdefault(work, _Kept(gone, None))
        kept = self._turns[work] = _Kept(*found)
        return kept

    async def state(self, work: Work, state: LoopState) -> LoopState:
        kept = self._turns.get(work)
        if kept is None:
            return await self._bounded_errand(work, state)
        if kept.task is None:
            gone = Finish(StopReason.USER_CANCELLED, "its task was deleted")
            return replace(state, ending=state.ending or gone)
        return await self._bounds.within(kept.task, work, state)

    async def _bounded_errand(self, work: Work, state: LoopState) -> LoopState:
        """Bounds an errand of a run as its run is bounded: all their rounds count together."""
        parent = work.turn.parent
        if parent is None or not is_run(parent):
            return state
        found = await self._scheduled.run_of(parent)
        return state if found is None else await self._bounds.within(found[1], work, state)

    def stance(self, work: Work, call: OpenCall, tools: Mapping[str, Tool]) -> Stance | None:
        kept = self._turns.get(work)
        if kept is None or kept.task is None:
            return None
        task, name = kept.task, call.call.name
        if task.fresh and name == END_CONVERSATION:
            return NOT_ITS_OWN
        approved = task.approved(call.call, work.clock.now())
        if approved is None:
            return None
        reach = Reach.BEYOND if approved.by_owner else Reach.TALK
        return Agreed(approved.consent, _REASONS, reach)

    async def briefing(self, work: Work, view: ViewFold) -> Briefing:
        """Hides the growing text: the run may have nothing to report in the end."""
        return Briefing(hidden=work in self._turns)

    async def parked(self, work: Work) -> Sequence[Write]:
        kept = self._turns.get(work)
        if kept is None:
            return ()
        kept.run = replace(kept.run, state=RunState.WAITING)
        return (SaveRun(kept.run),)

    async def set_aside(self, work: Work) -> Aside:
        kept = await self._look(work)
        if kept is None:
            return Aside()
        over = kept.run.ended(RunState.DONE, work.clock.now(), "its cards wait for a decision")
        return Aside((SaveRun(over),))

    async def ended(self, work: Work, finish: Finish, closed: Results) -> Ended:
        kept = self._turns.get(work)
        plain = finish.stop_reason is StopReason.FINAL_ANSWER
        if kept is None or kept.task is None or kept.task.failures or not plain:
            # The task itself is written then, or may be gone: its row of now counts.
            kept = await self._look(work)
        if kept is None:
            return Ended()
        if kept.task is None:
            return Ended(silent=True)
        now, run, task = work.clock.now(), kept.run, kept.task
        if finish.stop_reason in FAILED:
            return _failed(work, task, run, finish)
        writes: list[Write] = []
        if task.failures:
            writes.append(SaveTask(task.changed(failures=0), task.version))
        silent = finish.stop_reason is StopReason.FINAL_ANSWER and reported_nothing(work)
        state = RunState.SILENT if silent else RunState.DONE
        if finish.stop_reason is StopReason.USER_CANCELLED:
            state = RunState.STOPPED
            silent = work.turn.stop_asked == REPLACED
        writes.append(SaveRun(run.ended(state, now, rounds=work.turn.rounds)))
        return Ended(tuple(writes), below=footer(task, run), silent=silent)


def _failed(work: Work, task: TimedTask, run: TaskRun, finish: Finish) -> Ended:
    """Returns the end of a failed run: another try that nobody hears of, or one word."""
    now, rounds = work.clock.now(), work.turn.rounds
    again_at = tried_again_at(task, run, finish, now)
    if again_at is not None:
        waits = run.ended(RunState.AGAIN, now, finish.why, rounds)
        return Ended((SaveRun(replace(waits, again_at=again_at)),), silent=True)
    failures = task.failures + 1
    counted = task.changed(failures=failures)
    told = ""
    if failures >= task.most_failures and task.state is TaskState.ACTIVE:
        why = PAUSED_AFTER.format(count=failures)
        counted = replace(counted, state=TaskState.PAUSED, why=why)
        what, where = ("goal", "/goals") if task.paces else ("task", "/tasks")
        told = f"⏸ The {what} is paused: {why}. {where} shows it and resumes it."
    over = run.ended(RunState.FAILED, now, finish.why, rounds)
    return Ended((SaveRun(over), SaveTask(counted, task.version)), told, below=footer(task, run))


def tried_again_at(task: TimedTask, run: TaskRun, finish: Finish, now: datetime) -> datetime | None:
    """Returns the time of the next try; None when there is none before the task's next time."""
    at = next_try(finish, run.tries, now)
    return at if at is None or task.due is None or at < task.due else None
