"""Keeps the first damage that anybody met in the database, for the part that ends the program."""

import asyncio

from bot.domain.errors import StoreDamaged


class Damage:
    """Damage does not go away, so whoever waits for it is told once."""

    def __init__(self) -> None:
        self._there = asyncio.Event()
        self._fault: StoreDamaged | None = None

    def found(self, fault: StoreDamaged) -> None:
        """Notes damage that somebody met."""
        self._fault = self._fault or fault
        self._there.set()

    async def met(self) -> StoreDamaged:
        """Waits for damage, and returns the first."""
        while self._fault is None:
            await self._there.wait()
        return self._fault
