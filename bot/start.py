"""Puts the command line together with the work behind it, and runs it."""

import logging
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from bot.adapters.loop_watch.loop_watch import LoopWatch
from bot.cli import BackupWork, HookWork, MemoryWork, Program, run
from bot.domain.text.visible_text import shown_name
from bot.logs import Secrets, start_logging
from bot.setup import Probes
from bot.visits.error_line import print_error
from bot.visits.exit_codes import UNFORESEEN

_log = logging.getLogger(__name__)

_UNFORESEEN = (
    "I ended because of a fault in my program. What you sent is stored, and nothing is done twice. "
    "Start me again, and I go on. If I end again, report the trace: it {place}."
)

_SERVING = "bot.bootstrap.program"
_BACKUPS = (
    "bot.one_off.backup_commands:backed_up",
    "bot.one_off.backup_commands:verify",
    "bot.one_off.restore_command:restored",
    "bot.one_off.rollback_command:rolled_back",
    "bot.one_off.move_command:moved",
    "bot.one_off.backup_commands:timed",
)
_MEMORY = ("search", "import_file", "reindex")


def _late(module: str, name: str) -> Callable[..., Any]:
    """Returns a function whose first call loads its module; `steward --help` needs none."""

    def called(*given: Any, **named: Any) -> Any:
        return attrgetter(name)(import_module(module))(*given, **named)

    return called


def run_program(arguments: Sequence[str]) -> int:
    """Runs the command line and returns its exit code."""
    secrets = Secrets()
    start_logging(logging.StreamHandler(), secrets, style="text", level="WARNING")
    try:
        watch = LoopWatch()
        program = Program(
            partial(_late(_SERVING, "serve"), secrets=secrets, watch=watch),
            partial(_late("bot.one_off.talking", "chat"), secrets=secrets, watch=watch),
            partial(_late("bot.one_off.asking", "ask"), secrets=secrets),
            _late("bot.checkup.program", "examined"),
            _late(_SERVING, "unserved"),
            secrets,
            os.environ,
            Path.cwd(),
            Probes(*[_late("bot.checkup.program", f"PROBES.{one.name}") for one in fields(Probes)]),
            watch.new_loop,
            MemoryWork(*[_late("bot.one_off.memory_commands", name) for name in _MEMORY]),
            HookWork(*[_late("bot.one_off.hook_commands", name) for name in ("listed", "tried")]),
            _late("bot.one_off.feedback_export", "exported"),
            _late("bot.one_off.page_login", "linked"),
            BackupWork(*[_late(*one.split(":")) for one in _BACKUPS]),
            _late("bot.one_off.service_unit", "service_of"),
            _late("bot.one_off.repair", "repaired"),
            _late("bot.one_off.update_command", "updated"),
        )
        code = run(program, arguments)
    except Exception:  # the last border: it says one sentence, and the trace goes to the log
        print_error(f"steward: {_UNFORESEEN.format(place=_place_of_log())}")
        _log.exception("Steward failed")
        code = UNFORESEEN
    return code


def _place_of_log() -> str:
    """Returns where the trace stands: in a file, or on the standard error below the sentence."""
    files = (one for one in logging.getLogger().handlers if isinstance(one, logging.FileHandler))
    file = next(files, None)
    return "is below" if file is None else f"is in {shown_name(file.baseFilename)}"
