"""A command whose run a test can count, wait for, and hold for as long as it likes."""

import asyncio
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.patience import PATIENCE


class Errand:
    """Leaves a line in a file, tells that it has begun, waits to be let go, and leaves another.

    Telling and waiting go through named pipes in the workspace, so nobody looks at a clock.
    """

    def __init__(self, workspace: Path, name: str = "errand") -> None:
        self._ran = workspace / f"{name}.txt"
        self._begun = workspace / f"{name}.begun"
        self._hold = workspace / f"{name}.hold"
        self.command = (
            f"echo ran >> {self._ran.name}; echo > {self._begun.name}; "
            f"read -r _ < {self._hold.name}; echo ended >> {self._ran.name}; echo let go"
        )

    def __enter__(self) -> Self:
        for pipe in (self._begun, self._hold):
            os.mkfifo(pipe)
        # Both ends at once: opening neither waits for a partner nor ends with one.
        self._told = os.open(self._begun, os.O_RDWR | os.O_NONBLOCK)
        self._waiting = os.open(self._hold, os.O_RDWR | os.O_NONBLOCK)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._told)
        os.close(self._waiting)

    @property
    def runs(self) -> int:
        """How often the command was started."""
        return self._lines.count("ran")

    @property
    def ends(self) -> int:
        """How often it came to its end."""
        return self._lines.count("ended")

    @property
    def _lines(self) -> list[str]:
        return self._ran.read_text().splitlines() if self._ran.exists() else []

    async def begun(self, within: float = PATIENCE) -> None:
        """Wait until a run has begun; each run is told of once."""
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        loop.add_reader(self._told, readable.set)
        try:
            async with asyncio.timeout(within):
                await readable.wait()
            os.read(self._told, 1)
        finally:
            loop.remove_reader(self._told)

    def release(self) -> None:
        """Let one run go on to its end."""
        os.write(self._waiting, b"go\n")
