"""The tools about tasks: make, list, change and cancel them, and stay silent in a run."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from bot.domain.assignments.hook import is_hook_run
from bot.domain.assignments.task import (
    CANCEL_TASK,
    LIST_TASKS,
    MOST_WHAT,
    NOTHING_TO_REPORT,
    SCHEDULE_TASK,
    UPDATE_TASK,
    TimedTask,
    is_run,
)
from bot.domain.assignments.task_wish import TaskWish, wish_of
from bot.domain.clock.when_words import LONGEST_WHEN
from bot.domain.clock.zones import short_moment
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Block
from bot.domain.talk.reach import Reach
from bot.domain.text.names import brief_name, quoted_name
from bot.domain.text.visible_text import visible
from bot.domain.tools.house import SEARCH_ASKERS
from bot.domain.tools.tool import Effect, ExactRule, Preview, ToolOutput, ToolSpec
from bot.flow.schedules.task_shelf import SCHEDULED, TaskShelf
from bot.ports.arguments_tool import Arguments, ArgumentsTool, Text
from bot.ports.tool import Place, Seen, Tool


def _a_day(text: str) -> str:
    try:
        datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise PydanticCustomError("day", "is not a day, as in 2027-01-31") from None
    return text


Day = Annotated[str, AfterValidator(_a_day)]
When = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=LONGEST_WHEN,
        description="As in: in 20m; tomorrow 8:00; at 2027-01-05 09:00; every 2h; every weekday "
        "09:00; every month on the last day; cron 0 9 * * 1-5. In the person's time zone.",
    ),
]
What = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=MOST_WHAT,
        description="What each run shall do, whole: a run knows nothing else of this talk.",
    ),
]


def _a_call(call: dict[str, Any]) -> dict[str, Any]:
    whole = set(call) == {"tool", "arguments"} and isinstance(call["tool"], str)
    if not whole or not isinstance(call["arguments"], dict):
        raise PydanticCustomError("call", "must have a tool and its arguments, and nothing else")
    if call["tool"] in SEARCH_ASKERS:
        # A card that said so would promise what no run may do.
        raise PydanticCustomError("call", "only asks a person, and no run may; leave it out")
    return call


_CALL_SCHEMA = {
    "type": "object",
    "properties": {"tool": {"type": "string"}, "arguments": {"type": "object"}},
    "required": ["tool", "arguments"],
}
Call = Annotated[dict[str, Any], AfterValidator(_a_call), WithJsonSchema(_CALL_SCHEMA)]


class Options(Arguments):
    """The options of a task beside its words and times."""

    conversation: Annotated[
        Literal["own", "chat"] | None,
        Field(description="own: each run starts afresh; chat: runs see the talk of the chat."),
    ] = None
    allowed: Annotated[
        Literal["ask", "readonly"] | None,
        Field(description="readonly: runs may change nothing; ask: changes ask by cards."),
    ] = None
    overlap: Annotated[
        Literal["skip", "queue", "replace"] | None,
        Field(description="If an earlier run is still at work."),
    ] = None
    calls: Annotated[
        list[Call] | None,
        Field(max_length=10, description="Exact calls that runs may make without a card."),
    ] = None
    calls_until: Annotated[
        Day | None, Field(description="The day on which their approval ends; for calls alone.")
    ] = None
    runs_a_day: Annotated[int | None, Field(ge=1, le=1_440)] = None
    rounds_a_day: Annotated[int | None, Field(ge=1, le=10_000)] = None
    dollars_a_day: Annotated[float | None, Field(gt=0, lt=1_000)] = None
    deliver: Annotated[
        Literal["here", "private"] | None,
        Field(description="private: answer in the person's private chat instead."),
    ] = None


class ScheduleArguments(Options):
    when: When
    what: What


class UpdateArguments(Options):
    task: Annotated[Text, Field(min_length=1, max_length=20, description="The id of a task.")]
    when: When | None = None
    what: What | None = None
    state: Literal["active", "paused"] | None = None


class CancelArguments(Arguments):
    task: Annotated[Text, Field(min_length=1, max_length=20, description="The id of a task.")]


class NoArguments(Arguments):
    pass


A = TypeVar("A", bound=Arguments)


class _TaskTool(ArgumentsTool[A]):
    def __init__(self, shelf: TaskShelf) -> None:
        self._shelf = shelf


class ScheduleTask(_TaskTool[ScheduleArguments]):
    """Makes a task; the flow stores it in the transaction of the result."""

    name = SCHEDULE_TASK
    summary = "make a task that runs at set times"
    description = (
        "Schedule a task: at its times a run gets the words and answers in this chat. Also for "
        "reminders. The person approves it by a card that shows the next times."
    )
    takes = ScheduleArguments
    effect = Effect.WRITE

    async def foresee(
        self, arguments: ScheduleArguments, place: Place, exact: ExactRule
    ) -> Preview:
        now = self._shelf.now().isoformat()
        task = await self._shelf.made(_wish(arguments), place, now)
        title = f"{SCHEDULED}{visible(task.said)}"
        blocks = self._shelf.described(task, place.chat, title)
        return _card(title, task, blocks, seen=now, done="Task scheduled")

    async def perform(self, arguments: ScheduleArguments, place: Place, seen: Seen) -> ToolOutput:
        task = await self._shelf.made(_wish(arguments), place, seen)
        return ToolOutput(f"Task {task.id} is scheduled. Next: {_due(task)} ({task.zone}).")


class ListTasks(_TaskTool[NoArguments]):
    """Lists the tasks of the chat."""

    name = LIST_TASKS
    summary = "list scheduled tasks"
    description = "List the scheduled tasks of this chat with their ids, times and states."
    takes = NoArguments

    async def perform(self, arguments: NoArguments, place: Place, seen: Seen) -> ToolOutput:
        tasks = await self._shelf.in_chat(place.chat)
        lines = [
            f"{one.id} · {one.state} · {one.said} · next {_due(one)} · "
            f"{quoted_name(one.asker_name)}: {one.what}"
            for one in tasks
        ]
        source = await self._shelf.foreign(tasks, place.person)
        return ToolOutput("\n".join(lines) or "This chat has no tasks.", untrusted=source)


class UpdateTask(_TaskTool[UpdateArguments]):
    """Changes a task once the person has agreed."""

    name = UPDATE_TASK
    summary = "change, pause or resume a task"
    description = (
        "Change a task of this chat, or pause it. Arguments as in schedule_task; what you leave "
        "out stays."
    )
    takes = UpdateArguments
    effect = Effect.WRITE

    def completed(self, spec: ToolSpec) -> ToolSpec:
        return replace(spec, input_schema=_brief(spec.input_schema))

    async def foresee(self, arguments: UpdateArguments, place: Place, exact: ExactRule) -> Preview:
        now = self._shelf.now().isoformat()
        task = await self._shelf.owned(arguments.task, place)
        new = await self._shelf.changed(task, _wish(arguments), place, now)
        act = "Change"
        if new.state is not task.state:
            act = "Pause" if arguments.state == "paused" else "Resume"
        title = _about(act, task)
        blocks = self._shelf.described(new, place.chat, title)
        return _card(title, new, blocks, seen=now, done="Task changed")

    async def perform(self, arguments: UpdateArguments, place: Place, seen: Seen) -> ToolOutput:
        task = await self._shelf.owned(arguments.task, place)
        new = await self._shelf.changed(task, _wish(arguments), place, seen)
        return ToolOutput(f"Task {task.id} is changed. Next: {_due(new)} ({new.zone}).")


class CancelTask(_TaskTool[CancelArguments]):
    """Deletes a task once the person has agreed."""

    name = CANCEL_TASK
    summary = "delete a task"
    description = "Delete a task of this chat; a run that is at work stops."
    takes = CancelArguments
    effect = Effect.WRITE

    async def foresee(self, arguments: CancelArguments, place: Place, exact: ExactRule) -> Preview:
        task = await self._shelf.owned(arguments.task, place)
        title = _about("Delete", task)
        blocks = self._shelf.described(task, place.chat, title)
        return Preview(title, title, Effect.WRITE, blocks, done="Task deleted", reach=Reach.TALK)

    async def perform(self, arguments: CancelArguments, place: Place, seen: Seen) -> ToolOutput:
        task = await self._shelf.owned(arguments.task, place)
        return ToolOutput(f"Task {task.id} is deleted.")


class NothingToReport(ArgumentsTool[NoArguments]):
    """Keeps the chat silent at the end of a run."""

    name = NOTHING_TO_REPORT
    summary = "end a scheduled run without a message"
    description = (
        "In a run of a scheduled task or a hook only: there is nothing worth a message. The chat "
        "stays silent, whatever you write."
    )
    takes = NoArguments

    async def perform(self, arguments: NoArguments, place: Place, seen: Seen) -> ToolOutput:
        if not is_run(place.turn) and not is_hook_run(place.turn):
            raise ToolFailure("this is no such run: somebody waits for your answer")
        return ToolOutput("The chat stays silent. End with a short word; nobody reads it.")


def _about(act: str, task: TimedTask) -> str:
    """Returns the title of a card about a task, which people know by its words."""
    return f"{act} the task {brief_name(task.name)}"


def _card(
    title: str, task: TimedTask, blocks: tuple[Block, ...], *, seen: str, done: str
) -> Preview:
    """Returns the preview of a task; the calls that it lists would run without a card."""
    reach = Reach.BEYOND if task.calls else Reach.TALK
    return Preview(title, title, Effect.WRITE, blocks, seen=seen, done=done, reach=reach)


def _due(task: TimedTask) -> str:
    return "never" if task.due is None else short_moment(task.due, task.zone)


def _wish(arguments: Options) -> TaskWish:
    return wish_of(arguments.model_dump(exclude_none=True))


def _brief(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns a schema without descriptions: those of another tool count."""
    known = schema["properties"].items()
    short = {
        name: {key: value for key, value in field.items() if key != "description"}
        for name, field in known
    }
    return {**schema, "properties": short}


def task_tools(shelf: TaskShelf) -> tuple[Tool, ...]:
    """Returns every tool about tasks, in the order in which models see them."""
    return (
        ScheduleTask(shelf),
        ListTasks(shelf),
        UpdateTask(shelf),
        CancelTask(shelf),
        NothingToReport(),
    )
