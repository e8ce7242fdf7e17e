"""Tells of a fault in the child whether the index is lost, or only away for now."""

import errno

LOST, AWAY = "lost", "away"
_OF_THE_DISK = (
    "database or disk is full",
    "No space left",
    "readonly database",
    "Read-only file system",
    "Permission denied",
    "unable to open database file",
    "database is locked",
    "Too many open files",
)


class Lost(Exception):
    """The index is gone or broken."""

    kind = LOST


class Away(Exception):
    """The index cannot be used now."""

    kind = AWAY


def told(fault: Exception) -> str:
    """Returns the kind of an unforeseen fault: what a full disk says is no damage."""
    words = f"{type(fault).__name__}: {fault}"
    if isinstance(fault, OSError) and fault.errno not in (errno.ENOENT, errno.EIO):
        return AWAY
    return AWAY if any(each in words for each in _OF_THE_DISK) else LOST
