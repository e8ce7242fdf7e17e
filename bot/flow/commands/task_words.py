"""Tasks and their runs in the words of commands."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

from bot.domain.markdown import literal
from bot.domain.message import Button
from bot.domain.money import nano_of
from bot.domain.task import Allowed, RunState, TaskLimits, TaskRun, TaskState, TimedTask
from bot.flow.commands.choices import choice
from bot.flow.commands.table import Answer
from bot.ports.scheduled import Scheduled
from bot.ports.timing import Timing

LISTED = 10
"""Tasks on one page."""

_TIMES = 3
_EACH_ROW = 5
_MONEY = 1_000_000_000
_SIGNS = {TaskState.ACTIVE: "▶️", TaskState.PAUSED: "⏸", TaskState.DONE: "✓"}
_ENDS = {
    RunState.QUEUED: "waits to begin",
    RunState.RUNNING: "is at work",
    RunState.WAITING: "waits for a decision or its model",
    RunState.AGAIN: "failed, and is tried again",
    RunState.DONE: "done",
    RunState.SILENT: "done, nothing to report",
    RunState.FAILED: "failed",
    RunState.STOPPED: "stopped",
    RunState.SKIPPED: "skipped",
}
_BOUNDS = (
    "Write `/tasks limit <id> runs 5 rounds 40 dollars 0.50`, or `off` for one of the numbers."
)


class TaskWords:
    def __init__(self, scheduled: Scheduled, timing: Timing) -> None:
        self._scheduled = scheduled
        self._timing = timing

    async def list_of(self, found: Sequence[TimedTask], page: int, here: int) -> Answer:
        """Returns a page of tasks with a numbered button for each; one more means a next page."""
        tasks, more = found[:LISTED], len(found) > LISTED
        lines = [await self._line(n, task) for n, task in enumerate(tasks, 1)]
        numbered = [
            button
            for n, task in enumerate(tasks, 1)
            for button in choice(str(n), "tasks", "show", task.id)
        ]
        rows = [tuple(numbered[n : n + _EACH_ROW]) for n in range(0, len(numbered), _EACH_ROW)]
        newer = choice("◂ Back", "tasks", "page", str(page - 1)) if page > 1 else ()
        older = choice("More ▸", "tasks", "page", str(page + 1)) if more else ()
        rows += [(*newer, *older)] if newer or older else []
        told = "\n".join(["The tasks of this chat. A number shows one of them.", "", *lines])
        return Answer(told, buttons=tuple(rows), optional=True)

    async def whole(self, task: TimedTask, here: int) -> str:
        """Returns everything about a task."""
        last = await self._scheduled.last(task.id)
        lines = [
            f"{_SIGNS[task.state]} **{literal(task.name)}** · `{task.id}` · {literal(task.said)}",
            f"Next: {self._coming(task)}",
            f"Last: {_told(last, task)}" if last is not None else "It has not run yet.",
            _form(task),
        ]
        if task.state is TaskState.PAUSED:
            lines.append(f"Paused: {literal(task.why)}.")
        if task.limits != TaskLimits():
            lines.append(f"At most {_bounds(task.limits)} a day.")
        if task.chat != here:
            lines.append("It answers in another chat.")
        return "\n".join(f"{line}  " for line in lines)

    def limits(self, known: TaskLimits, words: Sequence[str]) -> TaskLimits:
        """Returns the bounds with these numbers; raises ValueError with a sentence."""
        if not words or len(words) % 2:
            raise ValueError(_BOUNDS)
        runs, rounds, money = known.runs, known.rounds, known.money
        for name, value in zip(words[::2], words[1::2], strict=True):
            number = _number(value)
            match name.lower():
                case "runs":
                    runs = None if number is None else max(int(number), 1)
                case "rounds":
                    rounds = None if number is None else max(int(number), 1)
                case "dollars":
                    money = None if number is None else nano_of(number)
                case _:
                    raise ValueError(_BOUNDS)
        return TaskLimits(runs, rounds, money)

    async def _line(self, number: int, task: TimedTask) -> str:
        last = await self._scheduled.last(task.id)
        ran = "" if last is None else f" · last {_told(last, task)}"
        due = "" if task.due is None else f" · next {_moment(task.due, task)}"
        told = f"{_SIGNS[task.state]} {literal(task.name)} · {literal(task.said)}{due}{ran}"
        return f"{number}. {told}"

    def _coming(self, task: TimedTask) -> str:
        if task.due is None or task.state is not TaskState.ACTIVE:
            return "never" if task.due is None else "paused"
        more = self._timing.times(task.rule, task.zone, task.due, _TIMES - 1)
        told = ", ".join(_moment(at, task) for at in (task.due, *more))
        return f"{told} ({task.zone})"


def menu_of(task: TimedTask) -> tuple[tuple[Button, ...], ...]:
    """Returns the buttons below a task."""
    paused = task.state is TaskState.PAUSED
    switch = choice("▶️ Resume", "tasks", "resume", task.id)
    if not paused:
        switch = choice("⏸ Pause", "tasks", "pause", task.id)
    first = (
        *(() if task.state is TaskState.DONE else switch),
        *choice("⏩ Run now", "tasks", "run", task.id),
    )
    second = (
        *choice("✏️ Edit", "tasks", "edit", task.id),
        *choice("🗑 Delete", "tasks", "delete", task.id),
    )
    reads = task.allowed is Allowed.READONLY
    third = (
        *(
            choice("💬 Use this chat’s talk", "tasks", "chat", task.id)
            if task.fresh
            else choice("🆕 Start afresh each time", "tasks", "own", task.id)
        ),
        *(
            choice("🔐 May ask for changes", "tasks", "ask", task.id)
            if reads
            else choice("👁 Only read", "tasks", "readonly", task.id)
        ),
    )
    return (first, second, third, choice("◂ All tasks", "tasks", "page", "1"))


def _form(task: TimedTask) -> str:
    talk = "Each run starts afresh" if task.fresh else "Runs use the talk of the chat"
    may = "may only read" if task.allowed is Allowed.READONLY else "ask before they change things"
    calls = f", but for {len(task.calls)} approved calls" if task.calls else ""
    return f"{talk}, and they {may}{calls}." if task.fresh else f"{talk}, and {may}{calls}."


def _bounds(limits: TaskLimits) -> str:
    told = [f"{limits.runs} runs"] if limits.runs else []
    told += [f"{limits.rounds} rounds"] if limits.rounds else []
    told += [f"${limits.money / _MONEY:.2f}"] if limits.money is not None else []
    return ", ".join(told)


def _number(value: str) -> Decimal | None:
    if value.lower() == "off":
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        raise ValueError(_BOUNDS) from None
    if not number.is_finite() or not 0 < number < 1_000_000:
        raise ValueError(_BOUNDS)
    return number


def _told(run: TaskRun, task: TimedTask) -> str:
    why = f" ({literal(run.why)})" if run.why and run.state is not RunState.DONE else ""
    late = ", late" if run.late else ""
    return f"{_moment(run.due, task)}{late}: {_ENDS[run.state]}{why}"


def _moment(at: datetime, task: TimedTask) -> str:
    return f"{at.astimezone(ZoneInfo(task.zone)):%a %Y-%m-%d %H:%M}"
