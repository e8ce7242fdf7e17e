"""Keeps the first damage that anybody met in the database, for the part that ends the program."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bot.adapters.sql.faults import translated
from bot.domain.errors import StoreDamaged, StoreError

_LOOK_SECONDS = 2.0
"""Seconds that a look through a file may take; a larger one is not looked through to its end."""

_STEPS = 10_000
"""Steps of SQLite between two looks at the time."""


class Damage:
    """Damage does not go away, so the part that waits for it is told once."""

    def __init__(self, file: Path | None = None) -> None:
        """Takes the file of the database; a server looks after its own."""
        self._file = file
        self._there = asyncio.Event()
        self._fault: StoreDamaged | None = None

    def found(self, fault: StoreDamaged) -> None:
        """Notes damage that somebody met."""
        self._fault = self._fault or fault
        self._there.set()

    async def met(self) -> StoreDamaged:
        """Looks through the file for a moment, then waits for what others meet."""
        if self._file is not None:
            try:
                await asyncio.to_thread(_look_through, self._file)
            except StoreDamaged as fault:
                self.found(fault)
            except StoreError:
                # A file that is locked just now is looked at by those who work with it.
                pass
        while self._fault is None:
            await self._there.wait()
        return self._fault


def _look_through(file: Path) -> None:
    """Raises StoreDamaged for a fault that is found in two seconds."""
    until = time.monotonic() + _LOOK_SECONDS
    address = f"{file.absolute().as_uri()}?mode=ro"
    with translated(), closing(sqlite3.connect(address, uri=True)) as connection:
        connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS)
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if found != "ok":
        raise StoreDamaged(" ".join(str(found).split()))
