"""The tools about tasks: make, list, change and cancel them, and stay silent in a run."""

from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.adapters.tools.arguments_tool import Arguments, ArgumentsTool, schema_of
from bot.adapters.tools.task_arguments import (
    CancelArguments,
    NoArguments,
    ScheduleArguments,
    UpdateArguments,
    brief,
)
from bot.domain.assignments.hook import is_hook_run
from bot.domain.assignments.task import (
    CANCEL_TASK,
    LIST_TASKS,
    NOTHING_TO_REPORT,
    SCHEDULE_TASK,
    UPDATE_TASK,
    Allowed,
    Overlap,
    TimedTask,
    is_run,
    task_id,
)
from bot.domain.assignments.task_wish import wish_of
from bot.domain.clock.when import WhenUnclear
from bot.domain.clock.zones import short_moment
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Block, CodeBlock, Plain
from bot.domain.talk.reach import Reach
from bot.domain.text.names import quoted_name
from bot.domain.text.visible_text import visible
from bot.domain.tools.tool import Effect, ExactRule, Preview, Replay, ToolOutput, ToolSpec
from bot.ports.clock import Clock
from bot.ports.people import People
from bot.ports.scheduled import Occasion, Scheduled, TaskMaker
from bot.ports.timing import Timing
from bot.ports.tool import Place, Tool

_SHOWN_TIMES = 3
_LISTED = 50
_MONEY = 1_000_000_000


class TaskShelf:
    """Looks tasks up, and tries wishes for tasks out, for all these tools."""

    def __init__(
        self,
        scheduled: Scheduled,
        making: TaskMaker,
        timing: Timing,
        people: People,
        clock: Clock,
    ) -> None:
        self._scheduled = scheduled
        self._making = making
        self._timing = timing
        self._people = people
        self._clock = clock

    def occasion(self, place: Place, seen: str | None) -> Occasion:
        """Returns the circumstances of a call; `seen` is the moment when its card was made."""
        at = self._clock.now() if seen is None else datetime.fromisoformat(seen)
        return Occasion(place.chat, place.person, at, place.mandate)

    async def made(self, arguments: Mapping[str, Any], place: Place, seen: str | None) -> TimedTask:
        id = task_id(place.turn, place.call_id)
        return await _or_failure(
            self._making.made(id, wish_of(arguments), self.occasion(place, seen))
        )

    async def changed(
        self, task: TimedTask, arguments: Mapping[str, Any], place: Place, seen: str | None
    ) -> TimedTask:
        by = self.occasion(place, seen)
        return await _or_failure(self._making.changed(task, wish_of(arguments), by))

    async def owned(self, id: str, place: Place) -> TimedTask:
        """Returns a task of this chat that the person may change; raises ToolFailure."""
        task, person = await self._scheduled.get(id.strip()), await self._people.get(place.person)
        if task is None or task.paces or place.chat not in (task.chat, task.home):
            raise ToolFailure("this chat has no task with that id; list_tasks shows them")
        if person is None or not person.may_decide_for(task.asker):
            raise ToolFailure(
                f"only {quoted_name(task.asker_name)} or an owner may change this task"
            )
        return task

    async def in_chat(self, chat: int) -> Sequence[TimedTask]:
        return await self._scheduled.of_chat(chat, _LISTED)

    def now(self) -> datetime:
        return self._clock.now()

    def described(self, task: TimedTask, here: int) -> tuple[Block, ...]:
        """Returns what a card shows of a task: its words, its next times, and what it may do."""
        lines = [f"When: {visible(task.said)}", self._coming(task), *_options(task, here)]
        calls = tuple(
            CodeBlock(visible(f"{one.tool} {one.arguments}"), "json") for one in task.calls
        )
        return (_words(task), Plain("\n".join(lines)), *calls)

    def _coming(self, task: TimedTask) -> str:
        if task.due is None:
            return "Next: never"
        more = self._timing.times(task.rule, task.zone, task.due, _SHOWN_TIMES - 1)
        told = ", ".join(short_moment(at, task.zone) for at in (task.due, *more))
        return f"Next: {told} ({task.zone})"


def _words(task: TimedTask) -> Block:
    """Returns the words of a task; several lines stand in a frame, so they forge none of ours."""
    words = visible(task.what)
    return CodeBlock(words, folds=True) if "\n" in words else Plain(words)


def _options(task: TimedTask, here: int) -> list[str]:
    lines = [
        "Each run has a conversation of its own."
        if task.fresh
        else "Runs join this chat's conversation."
    ]
    if task.allowed is Allowed.READONLY:
        lines.append("Runs may only read.")
    if task.mandate.tools is not None:
        lines.append(f"Runs may use only {', '.join(task.mandate.tools) or 'no tool'}.")
    if task.calls:
        until = "" if task.calls_until is None else f" until {task.calls_until:%Y-%m-%d}"
        lines.append(f"⚠️ Without a card{until}, runs may make exactly the calls below.")
    if task.overlap is not Overlap.SKIP:
        lines.append(task.overlap.told)
    limits = task.limits
    bounds = [f"{limits.runs} runs"] if limits.runs else []
    bounds += [f"{limits.rounds} rounds"] if limits.rounds else []
    bounds += [f"${limits.money / _MONEY:.2f}"] if limits.money is not None else []
    if bounds:
        lines.append(f"At most {', '.join(bounds)} a day.")
    if task.chat != here:
        lines.append("📬 It answers in another chat: the private one of its asker.")
    return lines


def _due(task: TimedTask) -> str:
    return "never" if task.due is None else short_moment(task.due, task.zone)


async def _or_failure(made: Awaitable[TimedTask]) -> TimedTask:
    try:
        return await made
    except WhenUnclear as fault:
        raise ToolFailure(str(fault)) from fault


def _said(arguments: Arguments) -> Mapping[str, Any]:
    return arguments.model_dump(exclude_none=True)


class ScheduleTask(ArgumentsTool[ScheduleArguments]):
    """Makes a task; the flow stores it in the transaction of the result."""

    summary = "make a task that runs at set times"

    def __init__(self, shelf: TaskShelf) -> None:
        self._shelf = shelf
        description = (
            "Schedule a task: at its times a run gets the words and answers in this chat. Also for "
            "reminders. The person approves it by a card that shows the next times."
        )
        super().__init__(ScheduleArguments, _writes(SCHEDULE_TASK, description, ScheduleArguments))

    async def foresee(
        self, arguments: ScheduleArguments, place: Place, exact: ExactRule
    ) -> Preview:
        now = self._shelf.now().isoformat()
        task = await self._shelf.made(_said(arguments), place, now)
        title = f"Schedule: {visible(task.said)}"
        blocks = self._shelf.described(task, place.chat)
        return _card(title, task, blocks, seen=now, done="Task scheduled")

    async def perform(
        self, arguments: ScheduleArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        task = await self._shelf.made(_said(arguments), place, seen)
        return ToolOutput(f"Task {task.id} is scheduled. Next: {_due(task)} ({task.zone}).")


class ListTasks(ArgumentsTool[NoArguments]):
    """Lists the tasks of the chat."""

    summary = "list scheduled tasks"

    def __init__(self, shelf: TaskShelf) -> None:
        self._shelf = shelf
        spec = ToolSpec(
            LIST_TASKS,
            "List the scheduled tasks of this chat with their ids, times and states.",
            schema_of(NoArguments),
            Effect.READ,
            Replay.SAFE,
        )
        super().__init__(NoArguments, spec)

    async def perform(self, arguments: NoArguments, place: Place, seen: str | None) -> ToolOutput:
        tasks = await self._shelf.in_chat(place.chat)
        lines = [
            f"{one.id} · {one.state} · {one.said} · next {_due(one)} · "
            f"{quoted_name(one.asker_name)}: {one.what}"
            for one in tasks
        ]
        source = next((one.untrusted for one in tasks if one.untrusted), None)
        return ToolOutput("\n".join(lines) or "This chat has no tasks.", untrusted=source)


class UpdateTask(ArgumentsTool[UpdateArguments]):
    """Changes a task once the person has agreed."""

    summary = "change, pause or resume a task"

    def __init__(self, shelf: TaskShelf) -> None:
        self._shelf = shelf
        description = (
            "Change a task of this chat, or pause it. Arguments as in schedule_task; what you "
            "leave out stays."
        )
        spec = _writes(UPDATE_TASK, description, UpdateArguments)
        super().__init__(UpdateArguments, replace(spec, input_schema=brief(spec.input_schema)))

    async def foresee(self, arguments: UpdateArguments, place: Place, exact: ExactRule) -> Preview:
        now = self._shelf.now().isoformat()
        task = await self._shelf.owned(arguments.task, place)
        new = await self._shelf.changed(task, _said(arguments), place, now)
        title = f"Change the task {task.id}"
        if new.state is not task.state:
            title = f"{'Pause' if arguments.state == 'paused' else 'Resume'} the task {task.id}"
        blocks = self._shelf.described(new, place.chat)
        return _card(title, new, blocks, seen=now, done="Task changed")

    async def perform(
        self, arguments: UpdateArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        task = await self._shelf.owned(arguments.task, place)
        new = await self._shelf.changed(task, _said(arguments), place, seen)
        return ToolOutput(f"Task {task.id} is changed. Next: {_due(new)} ({new.zone}).")


class CancelTask(ArgumentsTool[CancelArguments]):
    """Deletes a task once the person has agreed."""

    summary = "delete a task"

    def __init__(self, shelf: TaskShelf) -> None:
        self._shelf = shelf
        description = "Delete a task of this chat; a run that is at work stops."
        super().__init__(CancelArguments, _writes(CANCEL_TASK, description, CancelArguments))

    async def foresee(self, arguments: CancelArguments, place: Place, exact: ExactRule) -> Preview:
        task = await self._shelf.owned(arguments.task, place)
        title = f"Delete the task {task.id}"
        blocks = self._shelf.described(task, place.chat)
        return Preview(title, title, Effect.WRITE, blocks, done="Task deleted", reach=Reach.TALK)

    async def perform(
        self, arguments: CancelArguments, place: Place, seen: str | None
    ) -> ToolOutput:
        task = await self._shelf.owned(arguments.task, place)
        return ToolOutput(f"Task {task.id} is deleted.")


class NothingToReport(ArgumentsTool[NoArguments]):
    """Keeps the chat silent at the end of a run."""

    summary = "end a scheduled run without a message"

    def __init__(self) -> None:
        spec = ToolSpec(
            NOTHING_TO_REPORT,
            "In a run of a scheduled task or a hook only: there is nothing worth a message. The "
            "chat stays silent, whatever you write.",
            schema_of(NoArguments),
            Effect.READ,
            Replay.SAFE,
        )
        super().__init__(NoArguments, spec)

    async def perform(self, arguments: NoArguments, place: Place, seen: str | None) -> ToolOutput:
        if not is_run(place.turn) and not is_hook_run(place.turn):
            raise ToolFailure("this is no such run: somebody waits for your answer")
        return ToolOutput("The chat stays silent. End with a short word; nobody reads it.")


def _card(
    title: str, task: TimedTask, blocks: tuple[Block, ...], *, seen: str, done: str
) -> Preview:
    """Returns the preview of a task; the calls that it lists would run without a card."""
    reach = Reach.BEYOND if task.calls else Reach.TALK
    return Preview(title, title, Effect.WRITE, blocks, seen=seen, done=done, reach=reach)


def _writes(name: str, description: str, arguments: type[Arguments]) -> ToolSpec:
    return ToolSpec(name, description, schema_of(arguments), Effect.WRITE, Replay.SAFE)


def task_tools(shelf: TaskShelf) -> tuple[Tool, ...]:
    """Returns every tool about tasks, in the order in which models see them."""
    return (
        ScheduleTask(shelf),
        ListTasks(shelf),
        UpdateTask(shelf),
        CancelTask(shelf),
        NothingToReport(),
    )
