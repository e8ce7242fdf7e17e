"""Lets the first owner in: one pairing code for all channels of a run."""

import asyncio

from bot.domain.person import AT_THE_MACHINE
from bot.flow.arrivals.doorway import Doorway
from bot.ports.people import People


class Pairing:
    """Offers one code, since a newer code makes an older one void."""

    def __init__(self, people: People, doorway: Doorway) -> None:
        self._people = people
        self._doorway = doorway
        self._offering = asyncio.Lock()
        self._code = ""

    async def owned(self) -> bool:
        """Tells whether somebody on a platform owns the assistant; the terminal does not count."""
        accounts = await self._people.accounts()
        return any(p.is_owner and not key.startswith(f"{AT_THE_MACHINE}:") for key, p in accounts)

    async def code(self) -> str:
        """Returns the code, which is offered when the first channel asks for it."""
        async with self._offering:
            if not self._code:
                self._code = await self._doorway.pairing_code()
            return self._code
