"""The exit codes of faults, the same for every command."""

from bot.domain.talk.errors import (
    BackupBroken,
    ProgramGone,
    StoreDamaged,
    StoreFault,
    StoreRefused,
    StoreUnavailable,
)

GONE = 7
"""The exit code when the running program ended while it was talked to."""

DAMAGED = 65
"""The exit code for a damaged database or backup, as `EX_DATAERR` of sysexits."""

UNFORESEEN = 70
"""The exit code for a fault of the program itself, as `EX_SOFTWARE` of sysexits."""

UNAVAILABLE = 75
"""The exit code for a database that cannot work now, as `EX_TEMPFAIL` of sysexits."""


def code_of_fault(error: Exception) -> int:
    """Returns 2 for what a person sets right once; a supervisor may try again after the others."""
    match error:
        case StoreRefused():
            return 2
        case StoreDamaged() | BackupBroken():
            return DAMAGED
        case StoreUnavailable():
            return UNAVAILABLE
        case ProgramGone():
            return GONE
        case StoreFault():
            return 1
        case _:
            return 2
