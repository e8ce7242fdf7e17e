"""The things that are kept for a time alone."""

from enum import StrEnum


class Ageing(StrEnum):
    """A kind of rows of which old ones are removed; everything else is kept for ever."""

    UPDATES = "updates"
    """The words of updates as the platform sent them; the log has what turns took of them."""
    PRESSES = "presses"
    """Updates that hold no words: presses of buttons, and talk that was passed over."""
    RECORD = "record"
    """Inputs in lines of the record; who did what, where and when stays."""
    ROUNDS = "rounds"
    """The records of rounds of turns that are over."""
    RUNS = "runs"
    """Runs of tasks that are over, but for the last one of each task."""
    HOOK_CALLS = "hook_calls"
    """Calls of hooks whose runs are over."""
    TOOL_MESSAGES = "tool_messages"
    """Messages that show calls of tools with input and output."""
