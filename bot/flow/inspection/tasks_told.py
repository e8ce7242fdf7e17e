"""Tasks with their last and next runs, and the goals of a person."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.assignments.task import RunState, TaskRun, TimedTask
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.ports.goals import GoalRows
from bot.ports.now_page import TaskLine
from bot.ports.records import WorkRecords
from bot.ports.scheduled import TaskRows

_MOST = 30
_LONGEST = 100
_ENDS = {
    RunState.DONE: "done",
    RunState.FAILED: "failed",
    RunState.QUEUED: "waits its turn",
    RunState.RUNNING: "under way",
    RunState.WAITING: "waits for a person",
    RunState.AGAIN: "is tried again",
}


@frozen
class TaskTeller:
    """Tells what is due next."""

    _records: WorkRecords
    _scheduled: TaskRows
    _goals: GoalRows
    _conceal: Conceal

    async def lines(self, whose: int | None, now: datetime, zone: str) -> tuple[TaskLine, ...]:
        """Returns active tasks, the next one first."""
        tasks = await self._records.tasks(whose, _MOST)
        return tuple([await self._line(task, now, zone) for task in tasks])

    async def _line(self, task: TimedTask, now: datetime, zone: str) -> TaskLine:
        last = await self._scheduled.last(task.id)
        late = task.due is not None and task.due < now
        due = "never" if task.due is None else _clock(task.due, zone)
        return TaskLine(
            one_line(self._conceal(task.name), _LONGEST),
            plain_name(task.asker_name),
            one_line(self._conceal(task.said), _LONGEST),
            "not run yet" if last is None else _told(last, zone),
            last is not None and last.state is RunState.DONE,
            f"{due}, is late: waits its turn" if late else due,
        )

    async def goals(self, person: int) -> tuple[str, ...]:
        """Returns the goals of a person that are not over."""
        goals = await self._goals.of_person(person)
        return tuple(
            f"{one_line(self._conceal(goal.text), _LONGEST)} · {goal.state.value}"
            for goal in goals
            if not goal.over
        )


def _told(run: TaskRun, zone: str) -> str:
    late = ", late" if run.late else ""
    return f"{_clock(run.due, zone)}{late}, {_ENDS.get(run.state, run.state.value)}"


def _clock(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%a %d %b, %H:%M}"
