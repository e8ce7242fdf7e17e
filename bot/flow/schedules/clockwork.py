"""The clock of tasks: it meets due times, and sees when somebody sets the machine's clock."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial

from bot.domain.assignments.task import is_due
from bot.domain.change import Change, SaveTask
from bot.domain.talk.errors import Conflict, StoreError
from bot.flow.schedules.firing import Fired, Firing
from bot.flow.schedules.gate import RunGate
from bot.flow.schedules.timetable import Timetable
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.scheduled import TaskTimes

_LOG = logging.getLogger(__name__)

LONGEST_NAP = 20.0
"""Seconds between two looks at the clock: it may have been set meanwhile."""

_SET_BACK = timedelta(seconds=60)
"""A clock that is so much behind the one that planned a task was set back."""

_BATCH = 200
"""Times that are met before the turns of their runs begin."""

_LONG_AGO, _NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class Clockwork:
    """Sleeps until the next due time. The rows are the truth: it holds no time in memory."""

    def __init__(
        self,
        scheduled: TaskTimes,
        firing: Firing,
        timetable: Timetable,
        gate: RunGate,
        journal: Journal,
        clock: Clock,
        interrupt: Callable[[int], None],
    ) -> None:
        self._scheduled = scheduled
        self._firing = firing
        self._timetable = timetable
        self._gate = gate
        self._journal = journal
        self._clock = clock
        self._interrupt = interrupt
        self._changed = asyncio.Event()
        self._until = _NEVER

    def wake(self, at: datetime) -> None:
        """Notes that something is due at this time; an earlier one than the next ends the nap."""
        if at < self._until:
            self._changed.set()

    async def run(self) -> None:
        """Works until it is cancelled; a store that fails is tried again."""
        seen: datetime | None = None
        while True:
            # All that is written from here to the look for the next time is seen by that look.
            self._until = _LONG_AGO
            try:
                now = self._clock.now()
                if seen is None or now < seen - _SET_BACK:
                    await self._plan_anew(now)
                seen = now
                nap = await self._met()
            except StoreError as fault:
                _LOG.warning("due tasks have to wait: %s", fault)
                nap = 1.0
            self._gate.tidy()
            if nap > 0:
                await self._clock.until(self._changed, nap)

    async def _met(self) -> float:
        """Meets the times that have come, a batch at most; returns the seconds to the next."""
        now = self._clock.now()
        tasks = await self._scheduled.due(now, _BATCH)
        found = [await self._meet(partial(self._firing.meet, one), one.id) for one in tasks]
        tries = [
            one for one in await self._scheduled.again(_NEVER, _BATCH) if is_due(one.again_at, now)
        ]
        found += [await self._meet(partial(self._firing.again, one), one.task) for one in tries]
        # Turns begin when the times of all have been met: else they would delay one another.
        self._gate.begin()
        for fired in found:
            if fired is not None and fired.interrupts:
                self._interrupt(fired.chat)
        if len(tasks) == _BATCH or len(tries) == _BATCH:
            return 0.0
        self._changed.clear()
        self._until = _NEVER
        coming = await self._scheduled.next_at()
        if coming is None:
            return LONGEST_NAP
        self._until = coming
        left = (coming - self._clock.now()).total_seconds()
        return min(max(left, 0.0), LONGEST_NAP)

    async def _meet(
        self, firing: Callable[[datetime], Awaitable[Fired]], task: str
    ) -> Fired | None:
        try:
            fired = await firing(self._clock.now())
        except Conflict as fault:
            _LOG.info("task %s was met by somebody else (%s)", task, fault)
            return None
        if fired.turn:
            self._gate.add(fired.turn, fired.chat)
        return fired

    async def _plan_anew(self, now: datetime) -> None:
        """Plans tasks again whose next time was set by a clock that was ahead of this one."""
        for task in await self._scheduled.ahead(now + _SET_BACK):
            planned = self._timetable.from_now(task, now)
            try:
                await self._journal.commit(Change((SaveTask(planned, task.version),)))
            except Conflict:
                _LOG.info("task %s was changed meanwhile", task.id)
