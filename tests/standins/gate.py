"""A gate at which a stand-in holds one call of the program."""

import asyncio
from dataclasses import dataclass, field

from tests.patience import PATIENCE


@dataclass(eq=False)
class Gate:
    """Holds one call until released: before its work, or between its work and its answer."""

    after_work: bool = False
    _arrived: asyncio.Event = field(default_factory=asyncio.Event)
    _released: asyncio.Event = field(default_factory=asyncio.Event)

    async def arrived(self, within: float = PATIENCE) -> None:
        """Wait until the call stands at the gate; TimeoutError after `within` seconds."""
        async with asyncio.timeout(within):
            await self._arrived.wait()

    @property
    def holding(self) -> bool:
        return self._arrived.is_set() and not self._released.is_set()

    def release(self) -> None:
        self._released.set()

    async def hold(self) -> None:
        self._arrived.set()
        await self._released.wait()
