"""Numbers of rows, in words that people have for them."""

from collections.abc import Callable, Mapping

from bot.flow.commanding import wording

KNOWN_ROWS: Mapping[str, tuple[str, str]] = {
    "inbox": ("message or press that came in", "messages and presses that came in"),
    "turn": ("answer", "answers"),
    "approval": ("card", "cards"),
    "passage": ("remembered answer", "remembered answers"),
    "note": ("note", "notes"),
    "task": ("task", "tasks"),
    "person": ("person", "people"),
}
"""Tables whose rows a person knows, with what one and several of them are."""


def told_rows(table: str, count: int) -> str:
    """Returns how many rows a table has; empty for none, and for rows that no person knows."""
    return wording.counted(count, *KNOWN_ROWS[table]) if table in KNOWN_ROWS and count > 0 else ""


def say_copied(say: Callable[[str], None], table: str, count: int) -> None:
    """Says how far a copy is."""
    if told := told_rows(table, count):
        say(f"Copied: {told}.")
