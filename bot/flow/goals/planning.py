"""Gives goals their tasks, and lets them go on."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.assignments.goal import Goal, put_off
from bot.domain.assignments.task import Overlap, TaskLimits, TaskState, TimedTask
from bot.domain.assignments.task_wish import TaskWish
from bot.domain.change import SaveTask
from bot.domain.clock.when import Once, WhenUnclear
from bot.domain.turn.mandate import PERSONAL
from bot.domain.value import frozen, replace
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.timetable import Timetable
from bot.ports.goals import GoalCosts
from bot.ports.scheduled import Occasion, TaskRows

NO_TASK = "This goal has no times any more."


@frozen
class GoalPlanning:
    """Knows the task that gives a goal its pace; it has the id of the goal."""

    _goals: GoalCosts
    _scheduled: TaskRows
    _making: TaskMaking
    _timetable: Timetable

    def begun(self, goal: Goal, zone: str, now: datetime) -> TimedTask:
        """Returns the task of a goal that begins now: it is due at once."""
        return TimedTask(
            id=goal.id,
            chat=goal.chat,
            home=goal.chat,
            asker=goal.asker,
            asker_name=goal.asker_name,
            what=goal.text,
            said=goal.pace.said,
            rule=goal.pace.rule(now),
            zone=zone,
            created_at=now,
            due=now,
            planned_at=now,
            mandate=PERSONAL,
            fresh=True,
            # An answer starts a run, and must not be skipped while the one that asked still ends.
            overlap=Overlap.QUEUE,
            limits=TaskLimits(money=goal.a_day),
            goal=goal.id,
        )

    def coming(self, goal: Goal, zone: str, now: datetime, count: int) -> Sequence[datetime]:
        """Returns the first times of a goal that begins now, without the one at once."""
        return self._timetable.times(goal.pace.rule(now), zone, now, count)

    async def next_run(self, goal: Goal, words: str, now: datetime) -> datetime:
        """Returns the time of the next run within the pace; raises WhenUnclear."""
        due = (await self.put_off(goal, words, now)).due
        return now if due is None else due

    async def put_off(self, goal: Goal, words: str, now: datetime) -> TimedTask:
        """Returns the task of a goal with the next time that these words name."""
        task = await self._scheduled.get(goal.id)
        if task is None:
            raise WhenUnclear(NO_TASK)
        rule = await self._timetable.understood(words, now, task.zone)
        if not isinstance(rule, Once):
            raise WhenUnclear("Name one time, as in `in 3 days` or `tomorrow 8:00`.")
        return put_off(goal, task, rule.at, now)

    def paced(self, goal: Goal, task: TimedTask, now: datetime) -> TimedTask:
        """Returns the task of a goal whose pace or money was changed."""
        limits = replace(task.limits, money=goal.a_day)
        if task.said == goal.pace.said:
            return task.changed(limits=limits)
        rule = goal.pace.rule(now)
        due = next(iter(self._timetable.times(rule, task.zone, now, 1)), None)
        return task.changed(limits=limits, rule=rule, said=goal.pace.said, due=due, planned_at=now)

    async def resumed(self, goal: Goal, now: datetime, *, at_once: bool) -> Sequence[SaveTask]:
        """Returns the writes that let the tasks of a goal go on; `at_once` begins a run now."""
        by = Occasion.commanded(goal.chat, goal.asker, now)
        writes: list[SaveTask] = []
        for task in await self._goals.tasks(goal.id):
            new = task
            if task.state is TaskState.PAUSED:
                new = await self._making.changed(task, TaskWish(paused=False), by)
            if task.paces and at_once and new.state is TaskState.ACTIVE:
                new = replace(new, due=now, planned_at=now, version=task.version + 1)
            if new is not task:
                writes.append(SaveTask(new, task.version))
        return writes
