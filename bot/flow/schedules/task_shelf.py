"""Looks tasks up for the tools, tries wishes for tasks out, and shows them on cards."""

from collections.abc import Awaitable, Sequence
from datetime import datetime

from bot.domain.assignments.task import Allowed, Overlap, TimedTask, task_id
from bot.domain.assignments.task_wish import TaskWish
from bot.domain.clock.when import WhenUnclear
from bot.domain.clock.zones import short_moment
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.message import Block, CodeBlock, Plain
from bot.domain.text.names import plain_name, quoted_name
from bot.domain.text.visible_text import visible
from bot.flow.schedules.making import TaskMaking
from bot.flow.schedules.timetable import Timetable
from bot.ports.clock import Clock
from bot.ports.people import People
from bot.ports.scheduled import Occasion, TaskRows
from bot.ports.tool import Place

_SHOWN_TIMES = 3
_LISTED = 50
_MONEY = 1_000_000_000

SCHEDULED = "Schedule: "
"""The beginning of a title that goes on with the times of the task."""


class TaskShelf:
    def __init__(
        self,
        scheduled: TaskRows,
        making: TaskMaking,
        timetable: Timetable,
        people: People,
        clock: Clock,
    ) -> None:
        self._scheduled = scheduled
        self._making = making
        self._timetable = timetable
        self._people = people
        self._clock = clock

    def occasion(self, place: Place, seen: str | None) -> Occasion:
        """Returns the circumstances of a call; `seen` is the moment when its card was made."""
        at = self._clock.now() if seen is None else datetime.fromisoformat(seen)
        return Occasion(place.chat, place.person, at, place.mandate)

    async def made(self, wish: TaskWish, place: Place, seen: str | None) -> TimedTask:
        id = task_id(place.turn, place.call_id)
        return await _or_failure(self._making.made(id, wish, self.occasion(place, seen)))

    async def changed(
        self, task: TimedTask, wish: TaskWish, place: Place, seen: str | None
    ) -> TimedTask:
        by = self.occasion(place, seen)
        return await _or_failure(self._making.changed(task, wish, by))

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

    async def foreign(self, tasks: Sequence[TimedTask], person: int) -> str | None:
        """Returns the source of words in these tasks that are foreign to a turn of this person.

        In a group others make tasks too; an owner's words may direct anybody's turn.
        """
        for task in tasks:
            if task.untrusted is not None:
                return task.untrusted
            asker = None if task.asker == person else await self._people.get(task.asker)
            if task.asker != person and (asker is None or not asker.is_owner):
                return f"a task of {plain_name(task.asker_name)}"
        return None

    def now(self) -> datetime:
        return self._clock.now()

    def described(self, task: TimedTask, here: int, title: str) -> tuple[Block, ...]:
        """Returns what a card shows of a task: its words, its next times, and what it may do.

        What the title of the card says already is not said again.
        """
        said, words = visible(task.said), visible(task.what)
        when = () if title == f"{SCHEDULED}{said}" else (f"When: {said}",)
        lines = [*when, self._coming(task), *_options(task, here)]
        calls = tuple(
            CodeBlock(visible(f"{one.tool} {one.arguments}"), "json") for one in task.calls
        )
        told = () if f"“{words}”" in title else (_words(task),)
        return (*told, Plain("\n".join(lines)), *calls)

    def _coming(self, task: TimedTask) -> str:
        if task.due is None:
            return "Next: never"
        more = self._timetable.times(task.rule, task.zone, task.due, _SHOWN_TIMES - 1)
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


async def _or_failure(made: Awaitable[TimedTask]) -> TimedTask:
    try:
        return await made
    except WhenUnclear as fault:
        raise ToolFailure(str(fault)) from fault
