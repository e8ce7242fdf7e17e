"""Duties that one process can have of all that the program does."""

from enum import StrEnum


class Duty(StrEnum):
    """A part of the work, as `steward run --role` names it."""

    RECEIVE = "receive"
    """Listens to platforms and to terminals, and brings updates to their chats."""
    WORK = "work"
    """Carries out turns."""
    DELIVER = "deliver"
    """Brings messages to platforms."""
    SCHEDULE = "schedule"
    """Does what is due without anybody: tasks, tries of hooks, indexes, sweeps, backups."""
    WEB = "web"
    """Serves the page in a browser, and calls of hooks."""


EVERY_DUTY = frozenset(Duty)
