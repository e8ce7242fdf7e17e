"""The commands of `steward`."""

import signal
from collections.abc import Sequence

import click

from bot.cli.backups import (
    backup_command,
    move_command,
    restore_command,
    rollback_command,
    verify_command,
)
from bot.cli.commands import steward
from bot.cli.folders import folders_command
from bot.cli.hooks import hook_group
from bot.cli.login import login_command
from bot.cli.memory import feedback_command, memory_group
from bot.cli.program import BackupWork, CommandRun, HookWork, MemoryWork, Program
from bot.cli.service import service_command
from bot.cli.update import update_command
from bot.domain.talk.errors import StewardError, StoreDamaged
from bot.visits.error_line import print_error
from bot.visits.exit_codes import DAMAGED, UNAVAILABLE, code_of_fault

__all__ = [
    "DAMAGED",
    "UNAVAILABLE",
    "BackupWork",
    "CommandRun",
    "HookWork",
    "MemoryWork",
    "Program",
    "run",
]

for _command in (
    memory_group,
    feedback_command,
    hook_group,
    folders_command,
    login_command,
    service_command,
    backup_command,
    verify_command,
    restore_command,
    rollback_command,
    move_command,
    update_command,
):
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
    print_error(program.secrets.hidden(f"steward: {sentence}"))
    return code_of_fault(error)


def _first(group: ExceptionGroup[StewardError]) -> Exception:
    """Returns the first fault, or the damage that brought the others about."""
    damage = group.subgroup(StoreDamaged)
    error: Exception = damage if damage is not None else group
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error
