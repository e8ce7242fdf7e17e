"""A companion of turns that stores the tasks which tools make, change and cancel."""

import logging
from collections.abc import Sequence

from bot.domain.assignments.task import (
    AT_WORK,
    CANCEL_TASK,
    SCHEDULE_TASK,
    UPDATE_TASK,
    RunState,
    TimedTask,
    task_id,
)
from bot.domain.assignments.task_wish import wish_of
from bot.domain.change import AskStop, DropTask, SaveTask, Write
from bot.domain.clock.when import WhenUnclear
from bot.domain.loop.contribution import Share
from bot.domain.tools.tool import ToolCall
from bot.domain.turn.turn import Turn
from bot.flow.log.companion import Companion, Results, by_calls, succeeded
from bot.flow.log.foreign_addresses import counting
from bot.flow.log.request_view import foreign_to
from bot.flow.log.work import Work
from bot.flow.schedules.making import TaskMaking
from bot.ports.scheduled import Occasion, TaskRows

_LOG = logging.getLogger(__name__)

CANCELLED = "its task was deleted"
"""The text of `stop_asked` of a run whose task was deleted."""


class TaskKeeping:
    """Writes tasks in the transaction of the result, so that each call counts once."""

    def __init__(self, scheduled: TaskRows, making: TaskMaking) -> None:
        self._scheduled = scheduled
        self._making = making

    @property
    def answers(self) -> Companion:
        return Companion(
            by_calls(SCHEDULE_TASK, UPDATE_TASK, CANCEL_TASK), after_results=self.after_results
        )

    async def after_results(self, work: Work, row: Turn, ran: Results) -> Share:
        writes: list[Write] = []
        for call in succeeded(ran):
            try:
                writes += await self._kept(work, call)
            except WhenUnclear as fault:
                # The tool has looked at the same wish: only what changed since can refuse it.
                _LOG.warning("a task was not stored: %s", fault, extra=work.tags)
        return Share(row, writes=tuple(writes))

    async def _kept(self, work: Work, call: ToolCall) -> Sequence[Write]:
        arguments = call.arguments or {}
        if call.name == SCHEDULE_TASK:
            id = task_id(work.turn.id, call.id)
            wish = wish_of(arguments, by_owner=_by_owner(work, call))
            made = await self._making.made(id, wish, _occasion(work, call))
            return (SaveTask(made), *await self._making.tidied(work.turn.asker))
        if call.name not in (UPDATE_TASK, CANCEL_TASK):
            return ()
        task = await self._scheduled.get(str(arguments.get("task", "")))
        if task is None:
            return ()
        if call.name == CANCEL_TASK:
            return await removed(task, self._scheduled)
        wish = wish_of(arguments, by_owner=_by_owner(work, call))
        changed = await self._making.changed(task, wish, _occasion(work, call))
        return (SaveTask(changed, task.version),)


async def removed(task: TimedTask, scheduled: TaskRows) -> tuple[Write, ...]:
    """Returns the writes that remove a task and stop its runs."""
    runs = await scheduled.runs(task.id, task.planned_at)
    stops = [AskStop(r.turn, CANCELLED) for r in runs if r.state in (*AT_WORK, RunState.WAITING)]
    return (*stops, DropTask(task.id))


def _by_owner(work: Work, call: ToolCall) -> bool:
    """Returns True when an owner approved the call: by its card, or by the plan that holds it.

    Whoever decides about a card of somebody else is an owner. A call that has no card ran by a plan
    that an owner approved, or is an owner's own, because nothing else reaches as far.
    """
    card = next((one for one in work.approvals if one.call.id == call.id), None)
    if card is None or card.decided_by not in (None, work.turn.asker):
        return True
    return work.asker is not None and work.asker.is_owner


def _occasion(work: Work, call: ToolCall) -> Occasion:
    """Returns the circumstances of a call: its words count from when its card was shown."""
    card = next((one for one in work.approvals if one.call.id == call.id), None)
    at = card.created_at if card is not None else work.clock.now()
    foreign = foreign_to(work.turn.asker, work.log.entries())
    known = counting(work, str((call.arguments or {}).get("what", "")))
    mandate = work.turn.mandate.narrowed(foreign=foreign, addresses=known)
    return Occasion(work.turn.chat, work.turn.asker, at, mandate)
