"""Keeps the first damage that anybody met in the database, for the part that ends the program."""

import asyncio
import logging
from pathlib import Path

from bot.adapters.sql.soundness import looked_through
from bot.domain.talk.errors import StoreDamaged, StoreError

_LOG = logging.getLogger(__name__)

_LOOK_SECONDS = 2.0
"""Seconds that a look through a file may take; a larger one is not looked through to its end."""


class Damage:
    """Damage does not go away, so the part that waits for it is told once."""

    def __init__(self, file: Path | None = None) -> None:
        """Takes the file of the database; a server looks after its own."""
        self.file = file
        self._there = asyncio.Event()
        self._fault: StoreDamaged | None = None

    def found(self, fault: StoreDamaged) -> None:
        """Notes damage that somebody met."""
        self._fault = self._fault or fault
        self._there.set()

    async def met(self) -> StoreDamaged:
        """Looks through the file for a moment, then waits for what others meet."""
        if self.file is not None:
            try:
                sound = await asyncio.to_thread(looked_through, self.file, _LOOK_SECONDS)
            except StoreDamaged as fault:
                self.found(fault)
            except StoreError as fault:
                _LOG.info("the file is not looked through: %s", fault)
            else:
                for found in sound.faults:
                    self.found(StoreDamaged(found))
        while self._fault is None:
            await self._there.wait()
        return self._fault
