"""Tells turns that nobody may be watching from those that a person waits for, by their ids."""

from bot.domain.assignments.hook import is_hook_run
from bot.domain.assignments.task import is_run

_LATE = "late-"
LATE_UNWATCHED = "late-run-"
"""The beginning of the id of a turn that follows one that nobody watched."""


def is_unwatched(turn: str) -> bool:
    """Returns True for the id of a run of a task or of a hook, and of what follows it later."""
    return is_run(turn) or is_hook_run(turn) or turn.startswith(LATE_UNWATCHED)


def late_turn(cause: str, *, unwatched: bool) -> str:
    """Returns the id of the turn that goes on once a card or an errand is over."""
    return f"{LATE_UNWATCHED if unwatched else _LATE}{cause}"
