"""The commands of `steward`."""

import signal
from collections.abc import Sequence

import click

from bot.cli.commands import steward
from bot.cli.hooks import hook_group
from bot.cli.memory import feedback_command, memory_group
from bot.cli.program import CommandRun, HookWork, MemoryWork, Program
from bot.domain.talk.errors import (
    StewardError,
    StoreDamaged,
    StoreFault,
    StoreRefused,
    StoreUnavailable,
)

__all__ = ["CommandRun", "HookWork", "MemoryWork", "Program", "run"]

DAMAGED = 65
"""The exit code for a damaged database, as `EX_DATAERR` of sysexits."""

UNAVAILABLE = 75
"""The exit code for a database that cannot work now, as `EX_TEMPFAIL` of sysexits."""

for _command in (memory_group, feedback_command, hook_group):
    steward.add_command(_command)


def run(program: Program, arguments: Sequence[str]) -> int:
    """Carries out one command line and returns the exit code."""
    try:
        code = steward.main(
            list(arguments), prog_name="steward", standalone_mode=False, obj=program
        )
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return 128 + signal.SIGINT
    except StewardError as error:
        return _told(program, error)
    except ExceptionGroup as group:
        # Parts that ran side by side: one fault of our own is told like a single one.
        ours, others = group.split(StewardError)
        if ours is None or others is not None:
            raise
        return _told(program, _first(ours))
    return int(code or 0)


def _told(program: Program, error: Exception) -> int:
    """Says a foreseen fault in one sentence; returns the exit code for it."""
    sentence = " ".join(str(error).split()) or type(error).__name__
    click.echo(program.secrets.hidden(f"steward: {sentence}"), err=True)
    return _code(error)


def _code(error: Exception) -> int:
    """Returns 2 for what a person sets right once; a supervisor may try again after the others."""
    match error:
        case StoreRefused():
            return 2
        case StoreDamaged():
            return DAMAGED
        case StoreUnavailable():
            return UNAVAILABLE
        case StoreFault():
            return 1
        case _:
            return 2


def _first(group: ExceptionGroup[StewardError]) -> Exception:
    """Returns the first fault, or the damage that brought the others about."""
    damage = group.subgroup(StoreDamaged)
    error: Exception = damage if damage is not None else group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
