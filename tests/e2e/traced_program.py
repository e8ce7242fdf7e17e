"""The program under a tracer: a signal begins to count what is entered, another one writes it down.

It counts the files of `bot/flow`, the changes from one of them to another, the statements of the
database, and its jobs: each goes to a thread of the database once, for a transaction or a read.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from sqlalchemy import Engine, event

import bot.flow
from bot.adapters.sql import sqlite
from bot.cli import CommandRun
from tests.e2e.wrapped_program import run_within

COUNTED = "counted.json"
"""The file in the home to which the counts are written."""

_FLOW = str(Path(bot.flow.__file__).parent)


class Counts:
    """Counts from `begin` to `end`."""

    def __init__(self) -> None:
        self._entered: list[str] = []
        self._statements: list[str] = []
        self._jobs = 0

    def begin(self) -> None:
        self._entered.clear()
        self._statements.clear()
        self._jobs = 0
        sys.setprofile(self._called)

    def listen(self) -> None:
        event.listen(Engine, "before_cursor_execute", self._executed)

    def end(self, file: Path) -> None:
        sys.setprofile(None)
        files = [name.removeprefix(_FLOW).lstrip("/") for name in self._entered]
        found = {"files": files, "statements": self._statements, "jobs": self._jobs}
        new = file.with_suffix(".new")
        new.write_text(json.dumps(found))
        new.rename(file)

    def _called(self, frame: FrameType, what: str, _: object) -> None:
        """Notes a function of the flow that is entered from another file, or goes on."""
        if what != "call":
            return
        file = frame.f_code.co_filename
        if file == sqlite.__file__ and frame.f_code.co_name == "run":
            self._jobs += 1
        if file.startswith(_FLOW) and (not self._entered or self._entered[-1] != file):
            self._entered.append(file)

    def _executed(self, *told: Any) -> None:
        self._statements.append(told[2])


async def _counted(work: CommandRun) -> int:
    counts, loop = Counts(), asyncio.get_running_loop()
    counts.listen()
    file = Path(os.environ["STEWARD_HOME"]) / COUNTED
    loop.add_signal_handler(signal.SIGUSR1, counts.begin)
    loop.add_signal_handler(signal.SIGUSR2, counts.end, file)
    return await work


if __name__ == "__main__":
    run_within(_counted)
