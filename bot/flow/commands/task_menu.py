"""The buttons below a task: what can be done with it, and what can be changed."""

from collections.abc import Sequence

from bot.domain.message import Button
from bot.domain.task import Allowed, Overlap, TaskState, TimedTask
from bot.flow.commands.choices import choice

_OVERLAPS = {
    Overlap.SKIP: "⏭ Skip",
    Overlap.QUEUE: "⏳ Queue",
    Overlap.REPLACE: "🔁 Replace",
}


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
            choice("💬 Join the talk", "tasks", "chat", task.id)
            if task.fresh
            else choice("🆕 Start afresh", "tasks", "own", task.id)
        ),
        *(
            choice("🔐 Ask to change", "tasks", "ask", task.id)
            if reads
            else choice("👁 Only read", "tasks", "readonly", task.id)
        ),
    )
    return (first, second, third, choice("◂ All tasks", "tasks", "page", "1"))


def edit_menu(task: TimedTask, asking: Sequence[Button]) -> tuple[tuple[Button, ...], ...]:
    """Returns the buttons that change a task, with those that ask for times and words."""
    overlaps = [
        button
        for overlap, label in _OVERLAPS.items()
        for button in choice(label, "tasks", overlap, task.id, now=task.overlap is overlap)
    ]
    return (
        tuple(asking),
        tuple(overlaps),
        choice("🔓 Calls without a card", "tasks", "calls", task.id),
        choice("◂ Back", "tasks", "show", task.id),
    )
