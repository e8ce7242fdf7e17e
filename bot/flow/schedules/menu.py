"""The buttons below a task: what can be done with it, and what can be changed."""

from collections.abc import Sequence

from bot.domain.assignments.task import Allowed, Overlap, TaskState, TimedTask
from bot.domain.talk.message import Button, ButtonRows
from bot.flow.commanding.choices import choice

_OVERLAPS = {
    Overlap.SKIP: "⏭ Skip the new run",
    Overlap.QUEUE: "⏳ Begin it afterwards",
    Overlap.REPLACE: "🔁 Stop the older run",
}


def menu_of(task: TimedTask) -> ButtonRows:
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
    where = choice("🆕 Let it use a new conversation", "tasks", "own", task.id)
    if task.fresh:
        where = choice("💬 Let it use this conversation", "tasks", "chat", task.id)
    may = choice("👁 Let it only read", "tasks", "readonly", task.id)
    if reads:
        may = choice("🔐 Let it ask for changes", "tasks", "ask", task.id)
    return (first, second, where, may, choice("◂ All tasks", "tasks", "page", "1"))


def edit_menu(task: TimedTask, asking: Sequence[Button]) -> ButtonRows:
    """Returns the buttons that change a task, with those that ask for times and words."""
    overlaps = [
        choice(label, "tasks", overlap, task.id, now=task.overlap is overlap)
        for overlap, label in _OVERLAPS.items()
    ]
    return (
        tuple(asking),
        *overlaps,
        choice("🔓 What runs without asking", "tasks", "calls", task.id),
        choice("◂ Back", "tasks", "show", task.id),
    )


def delete_menu(task: TimedTask) -> ButtonRows:
    """Returns the buttons below the question whether a task goes."""
    yes, no = choice("🗑 Delete", "tasks", "drop", task.id), choice("Keep", "tasks", "show", task.id)
    return ((*yes, *no),)
