"""Terminals and questions that come in by the door of a running program."""

import asyncio
import json
from asyncio.subprocess import DEVNULL, PIPE
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.launching import Command
from tests.e2e.steward import Steward
from tests.e2e.terminals import Terminal
from tests.patience import PATIENCE


@dataclass(frozen=True)
class Ended:
    """The end of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        return json.loads(self.out)


class Visitors:
    """Terminals and questions that come to the home of a steward.

    `command` runs the program of the next one.
    """

    def __init__(self, steward: Steward, command: Command) -> None:
        self._steward = steward
        self.command = command
        self.terminals: list[Terminal] = []

    def terminal(self, *arguments: str, folder: Path | None = None, columns: int = 100) -> Terminal:
        terminal = Terminal(
            folder or self._steward.folder,
            *(arguments or ("chat",)),
            columns=columns,
            rows=40,
            command=self.command,
            environ=self._steward.settings,
        )
        self.terminals.append(terminal)
        return terminal

    async def question(self, *arguments: str, piped: int = DEVNULL) -> asyncio.subprocess.Process:
        """Start `steward ask` without a terminal of its own."""
        return await asyncio.create_subprocess_exec(
            *self.command("ask", *arguments),
            cwd=self._steward.folder,
            env=self._steward.settings,
            stdin=piped,
            stdout=PIPE,
            stderr=PIPE,
            start_new_session=True,
        )

    async def ask(self, *arguments: str, piped: bytes = b"") -> Ended:
        asking = await self.question(*arguments, piped=PIPE if piped else DEVNULL)
        return await self.ended(asking, piped)

    async def ended(self, process: asyncio.subprocess.Process, piped: bytes = b"") -> Ended:
        async with asyncio.timeout(PATIENCE):
            out, err = await process.communicate(piped or None)
        return Ended(process.returncode or 0, out.decode(), err.decode())


async def open_door(steward: Steward) -> Path:
    """The door, once it is there."""
    door = steward.home / "door"
    await steward.eventually(door.exists)
    return door
