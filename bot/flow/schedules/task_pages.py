"""Tasks and their runs in the words of commands."""

from collections.abc import Sequence

from bot.domain.assignments.task import (
    BY_HAND,
    Allowed,
    Overlap,
    RunState,
    TaskLimits,
    TaskRun,
    TaskState,
    TimedTask,
)
from bot.domain.money.money import DOLLAR, Nano, read_bound
from bot.domain.text.markdown import literal
from bot.domain.text.names import named
from bot.flow.commanding.pages import LISTED, numbered
from bot.flow.commanding.table import Answer, named_values
from bot.flow.commanding.wording import counted
from bot.flow.schedules.menu import menu_of
from bot.flow.schedules.timetable import Timetable
from bot.flow.schedules.wording import moment
from bot.ports.scheduled import TaskRows

_TIMES = 3
_MOST = 1_000_000
_DIGITS = 8
_OFF = "off"
_SIGNS = {TaskState.ACTIVE: "▶️", TaskState.PAUSED: "⏸", TaskState.DONE: "✓"}
_ENDS = {
    RunState.QUEUED: "waits to begin",
    RunState.RUNNING: "is running",
    RunState.WAITING: "waits for a decision or its model",
    RunState.AGAIN: "failed, and is tried again",
    RunState.DONE: "done",
    RunState.SILENT: "done, nothing to report",
    RunState.FAILED: "failed",
    RunState.STOPPED: "stopped",
    RunState.SKIPPED: "skipped",
}
_BOUNDS = (
    "Write `/tasks limit <number> runs 5 rounds 40 dollars 0.50`: at most so much in a day. `off` "
    "instead of a number ends that limit."
)


class TaskWords:
    def __init__(self, scheduled: TaskRows, timetable: Timetable) -> None:
        self._scheduled = scheduled
        self._timetable = timetable

    async def list_of(self, found: Sequence[TimedTask], page: int, here: int) -> Answer:
        """Returns a page of tasks with a numbered button for each; one more means a next page."""
        shown = [(task.id, await self._line(task)) for task in found[:LISTED]]
        title = "The tasks of this chat. A number shows one of them."
        return numbered("tasks", title, shown, page, more=len(found) > LISTED)

    async def shown(self, task: TimedTask, here: int, above: str = "") -> Answer:
        """Returns everything about a task with its buttons, below a sentence if there is one."""
        told = "\n\n".join(filter(None, (above, await self.whole(task, here))))
        return Answer(told, buttons=menu_of(task), optional=True)

    async def whole(self, task: TimedTask, here: int) -> str:
        """Returns everything about a task."""
        last = await self._scheduled.last(task.id)
        lines = [
            f"{_SIGNS[task.state]} **{named(task.name)}** · {literal(task.said)}",
            self._next(task),
            f"Last run: {_told(last, task)}" if last is not None else "It has not run yet.",
            _form(task),
        ]
        if task.limits != TaskLimits():
            lines.append(f"At most {_bounds(task.limits)} a day.")
        if task.overlap is not Overlap.SKIP:
            lines.append(task.overlap.told)
        if task.chat != here:
            lines.append("It answers in another chat.")
        return "\n".join(f"{line}  " for line in lines)

    def limits(self, known: TaskLimits, words: Sequence[str]) -> TaskLimits:
        """Returns the bounds with these numbers; raises ValueError with a sentence."""
        runs, rounds, money = known.runs, known.rounds, known.money
        for name, value in named_values(words, _BOUNDS):
            match name:
                case "runs":
                    runs = _count(value)
                case "rounds":
                    rounds = _count(value)
                case "dollars":
                    money = _money(value)
                case _:
                    raise ValueError(_BOUNDS)
        return TaskLimits(runs, rounds, money)

    async def _line(self, task: TimedTask) -> str:
        last = await self._scheduled.last(task.id)
        ran = "" if last is None else f" · last {_told(last, task)}"
        due = "" if task.due is None else f" · next {moment(task.due, task)}"
        return f"{_SIGNS[task.state]} {named(task.name)} · {literal(task.said)}{due}{ran}"

    def _next(self, task: TimedTask) -> str:
        """Returns the line about the coming runs, or about the pause in which there are none."""
        if task.state is TaskState.PAUSED:
            why = "" if task.why == BY_HAND else f": {literal(task.why)}"
            return f"Paused{why}. It does not run until you resume it."
        if task.due is None:
            return "Next: never"
        more = self._timetable.times(task.rule, task.zone, task.due, _TIMES - 1)
        told = ", ".join(moment(at, task) for at in (task.due, *more))
        return f"Next: {told} ({task.zone})"


def _form(task: TimedTask) -> str:
    where = "a new conversation" if task.fresh else "this chat's conversation"
    reads = task.allowed is Allowed.READONLY
    may = "may only read" if reads else "asks before it changes something"
    calls = f", except for {counted(len(task.calls), 'approved call')}" if task.calls else ""
    return f"Each run works in {where}, and {may}{calls}."


def _bounds(limits: TaskLimits) -> str:
    told = [counted(limits.runs, "run")] if limits.runs else []
    told += [counted(limits.rounds, "round")] if limits.rounds else []
    told += [f"${limits.money / DOLLAR:.2f}"] if limits.money is not None else []
    return ", ".join(told)


def _count(value: str) -> int | None:
    """Returns a whole number from 1 on, None for `off`; raises ValueError for anything else."""
    if value.lower() == _OFF:
        return None
    if not value.isascii() or not value.isdecimal() or not 0 < int(value[:_DIGITS]) < _MOST:
        raise ValueError(_BOUNDS)
    return int(value[:_DIGITS])


def _money(value: str) -> Nano | None:
    """Returns money, None for `off`; raises ValueError for anything else and for nothing."""
    try:
        return read_bound(value)
    except ValueError:
        raise ValueError(_BOUNDS) from None


def _told(run: TaskRun, task: TimedTask) -> str:
    why = f" ({literal(run.why)})" if run.why and run.state is not RunState.DONE else ""
    late = " (late)" if run.late else ""
    return f"{moment(run.due, task)}{late}, {_ENDS[run.state]}{why}"
