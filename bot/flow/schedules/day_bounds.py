"""The bounds that the runs of a task share in a day."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.assignments.task import RunState, TaskRun, TimedTask
from bot.domain.loop.verdict import LoopState
from bot.domain.talk.limits import ScheduleBounds
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.progress import Progress
from bot.domain.turn.step import Finish
from bot.flow.log.work import Work
from bot.ports.scheduled import RunCosts

_NO_MONEY = "The money of this task for today is used up."


class DayBounds:
    """Looks at the runs of today, in the time zone of their task."""

    def __init__(self, scheduled: RunCosts, bounds: ScheduleBounds) -> None:
        self._scheduled = scheduled
        self._most = bounds.runs

    async def runs(self, task: TimedTask, now: datetime) -> Sequence[TaskRun]:
        """Returns the runs of today that began, and older ones that are not over."""
        here = now.astimezone(ZoneInfo(task.zone))
        midnight = here.replace(hour=0, minute=0, second=0, microsecond=0)
        found = await self._scheduled.runs(task.id, midnight)
        return [one for one in found if one.state is not RunState.SKIPPED]

    async def reached(self, task: TimedTask, today: Sequence[TaskRun]) -> str:
        """Returns the bound that keeps another run from beginning; empty when none does."""
        limits, begun = task.limits, len(today)
        if begun >= min(limits.runs or self._most, self._most):
            times = "once" if begun == 1 else f"{begun} times"
            return f"it ran {times} today, and no more is allowed"
        if limits.rounds is not None and await self._rounds(today) >= limits.rounds:
            return "its rounds of today are used up"
        return "its money of today is used up" if await self._spent(task, today) else ""

    async def within(self, task: TimedTask, work: Work, state: LoopState) -> LoopState:
        """Returns the state of a run, or of its errand, with the bounds of its task.

        The state has the end that they call for, if they do.
        """
        most = task.limits.rounds
        if most is None and task.limits.money is None:
            return state
        today = await self.runs(task, work.clock.now())
        if await self._spent(task, today) and not answered(state.progress):
            return replace(state, ending=state.ending or Finish(StopReason.BUDGET, _NO_MONEY))
        if most is None:
            return state
        left = max(most - await self._rounds(today) + work.turn.rounds, 1)
        bounded = replace(
            state.limits,
            soft_rounds=min(state.limits.soft_rounds, max(left - 1, 1)),
            max_rounds=min(state.limits.max_rounds, left),
        )
        return replace(state, limits=bounded)

    async def _rounds(self, today: Sequence[TaskRun]) -> int:
        """Returns the rounds of these runs with all their tries and errands, up to now."""
        return await self._scheduled.rounds([turn for one in today for turn in one.turns])

    async def _spent(self, task: TimedTask, today: Sequence[TaskRun]) -> bool:
        if task.limits.money is None:
            return False
        turns = [turn for one in today for turn in one.turns]
        return await self._scheduled.spent(turns) >= task.limits.money


def answered(progress: Progress) -> bool:
    """Returns True when the newest entry is a reply without calls: it costs nothing to end."""
    reply = progress.reply
    return reply is not None and not reply.calls and not progress.since_reply
