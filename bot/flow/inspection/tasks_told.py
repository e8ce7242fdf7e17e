"""Tasks with their last and next runs, and the goals of a person."""

from datetime import datetime
from zoneinfo import ZoneInfo

from bot.domain.assignments.goal import Goal, GoalCondition, condition
from bot.domain.assignments.task import RunState, TaskRun, TaskState, TimedTask
from bot.domain.talk.person import Person
from bot.domain.text.names import plain_name
from bot.domain.text.visible_text import one_line
from bot.domain.tools.call_words import Conceal
from bot.domain.value import frozen
from bot.ports.goals import GoalRows
from bot.ports.now_page import GoalLine, NowOrder, TaskLine, Verb
from bot.ports.records import TaskRecords
from bot.ports.scheduled import TaskRows

_MOST = 30
_LONGEST = 100
_COMMANDS = ("run", "pause", "resume")
_VERBS: dict[GoalCondition, tuple[Verb, ...]] = {
    GoalCondition.PROPOSED: (),
    GoalCondition.ACTIVE: ("run", "pause"),
}
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

    _records: TaskRecords
    _scheduled: TaskRows
    _goals: GoalRows
    _conceal: Conceal

    async def lines(
        self, whose: int | None, now: datetime, zone: str
    ) -> tuple[tuple[TaskLine, ...], bool]:
        """Returns active tasks, the next one first, then paused ones; True where there are more."""
        tasks = await self._records.tasks(whose, _MOST + 1)
        paused = await self._records.paused(whose, _MOST + 1)
        shown = (*tasks[:_MOST], *paused[:_MOST])
        more = len(tasks) + len(paused) > len(shown)
        return tuple([await self._line(task, now, zone) for task in shown]), more

    async def _line(self, task: TimedTask, now: datetime, zone: str) -> TaskLine:
        last = await self._scheduled.last(task.id)
        late = task.due is not None and task.due < now
        paused = task.state is TaskState.PAUSED
        due = "paused" if paused else "never" if task.due is None else _clock(task.due, zone)
        return TaskLine(
            plain_name(self._conceal(task.name)),
            plain_name(task.asker_name),
            one_line(self._conceal(task.said), _LONGEST),
            "not run yet" if last is None else _told(last, zone),
            last is not None and last.state is RunState.DONE,
            f"{due}, is late: waits its turn" if late and not paused else due,
            task.id,
            ("run", "resume" if paused else "pause"),
        )

    async def goals(self, person: int) -> tuple[tuple[GoalLine, ...], bool]:
        """Returns the goals of a person that are not over; True where there are more."""
        goals = [one for one in await self._goals.of_person(person) if not one.over]
        return tuple([await self._goal(one) for one in goals[:_MOST]]), len(goals) > _MOST

    async def _goal(self, goal: Goal) -> GoalLine:
        stands = condition(goal, await self._scheduled.get(goal.id))
        verbs = _VERBS.get(stands, ("run", "resume"))
        return GoalLine(goal.id, one_line(self._conceal(goal.text), _LONGEST), stands.value, verbs)

    async def order(self, reader: Person, kind: str, id: str, verb: str) -> NowOrder | None:
        """Returns the command of a press on a task or a goal of the reader, or for an owner."""
        found = await (self._goals.get(id) if kind == "goals" else self._scheduled.get(id))
        if found is None or verb not in _COMMANDS or not reader.may_decide_for(found.asker):
            return None
        return NowOrder(found.chat, kind, (verb, id))


def _told(run: TaskRun, zone: str) -> str:
    late = ", late" if run.late else ""
    return f"{_clock(run.due, zone)}{late}, {_ENDS.get(run.state, run.state.value)}"


def _clock(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%a %d %b, %H:%M}"
