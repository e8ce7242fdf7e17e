"""Lets the first owner in: one pairing code for all channels of a run."""

import asyncio

from bot.flow.arrivals.doorway import Doorway


class Pairing:
    """Offers one code, since a newer code makes an older one void."""

    def __init__(self, doorway: Doorway) -> None:
        self._doorway = doorway
        self._offering = asyncio.Lock()
        self._code = ""

    async def code(self) -> str:
        """Returns the code, which is offered when the first channel asks for it."""
        async with self._offering:
            if not self._code:
                self._code = await self._doorway.pairing_code()
            return self._code
