"""Tasks and their runs as rows; they are written by changes of the journal."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from bot.domain.assignments.task import TaskRun, TimedTask
from bot.domain.money.money import Nano
from bot.domain.turn.mandate import PERSONAL, Mandate
from bot.domain.value import frozen


class TaskRows(Protocol):
    async def get(self, task: str) -> TimedTask | None: ...

    async def of_chat(self, chat: int, limit: int, skip: int = 0) -> Sequence[TimedTask]:
        """Returns tasks that run in a chat or were made there, the oldest first.

        Those that give a goal its pace are left out: they are shown with their goal. So are those
        of people whose access ended: nobody can resume them.
        """
        ...

    async def run_of(self, turn: str) -> tuple[TaskRun, TimedTask] | None:
        """Returns the run that a turn carries out, with its task."""
        ...

    async def runs(self, task: str, since: datetime) -> Sequence[TaskRun]:
        """Returns the runs of a task that began since a moment, and all that are not over."""
        ...

    async def last(self, task: str) -> TaskRun | None:
        """Returns the newest run of a task."""
        ...


class TaskTimes(Protocol):
    """Tasks and runs whose time has come."""

    async def due(self, now: datetime, limit: int) -> Sequence[TimedTask]:
        """Returns active tasks whose time has come, the longest due first."""
        ...

    async def again(self, now: datetime, limit: int) -> Sequence[TaskRun]:
        """Returns failed runs whose next try has come."""
        ...

    async def next_at(self) -> datetime | None:
        """Returns the first time at which a task or another try is due; None without any."""
        ...

    async def ahead(self, now: datetime) -> Sequence[TimedTask]:
        """Returns active tasks whose next time was set by a clock that was ahead of `now`."""
        ...


class PersonTasks(Protocol):
    async def of_person(self, person: int) -> Sequence[TimedTask]:
        """Returns every task that a person asked for."""
        ...


class RunCosts(Protocol):
    async def runs(self, task: str, since: datetime) -> Sequence[TaskRun]: ...

    async def rounds(self, turns: Sequence[str]) -> int:
        """Returns the rounds of these turns and of their errands together."""
        ...

    async def spent(self, turns: Sequence[str]) -> Nano:
        """Returns the known cost of these turns together."""
        ...


class Scheduled(TaskRows, TaskTimes, PersonTasks, RunCosts, Protocol):
    """All of these, as the store has them."""


@frozen
class Occasion:
    """The circumstances in which somebody asks for a task."""

    chat: int
    person: int
    at: datetime
    """The moment from which `in 20m` counts."""
    mandate: Mandate
    """The mandate of the turn that asks, with the foreign text in its view, or of a person."""
    language: str = ""
    """The language code of the person's app."""

    @classmethod
    def commanded(cls, chat: int, person: int, at: datetime, language: str = "") -> "Occasion":
        """Returns the circumstances of a person's own command."""
        return cls(chat, person, at, PERSONAL, language)
