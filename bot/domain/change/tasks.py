"""Writes of tasks and their runs."""

from datetime import datetime
from typing import TypeAlias

from bot.domain.assignments.task import TaskRun, TimedTask
from bot.domain.value import frozen


@frozen
class SaveTask:
    """Inserts a task (`expect` None) or moves it on; Conflict when its version is another one."""

    task: TimedTask
    expect: int | None = None


@frozen
class DropTask:
    """Removes a task with its runs; their turns stay, and open cards of those turns expire."""

    id: str
    keeps_cards: bool = False
    """True when the open cards stay, because nobody took the task back."""


@frozen
class DropRuns:
    """Removes old runs of a task that are over; a run with an open card stays."""

    task: str
    before: datetime
    """Runs that were written before this moment are removed."""
    skipped_before: datetime
    """The same for runs that never began."""
    most: int
    """Runs that stay at most, the newest ones."""


@frozen
class PauseTasks:
    """Pauses the active tasks that run in a chat."""

    chat: int
    why: str


@frozen
class AddRun:
    """Writes a due time down; Conflict when it has a run already."""

    run: TaskRun


@frozen
class SaveRun:
    """Moves a run on; nothing when its task was removed."""

    run: TaskRun


TaskWrite: TypeAlias = SaveTask | DropTask | DropRuns | PauseTasks | AddRun | SaveRun
