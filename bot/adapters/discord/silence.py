"""Waits while no events come, logs the reason once, and lets sessions begin one by one."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from bot.adapters.platforms.outage import Outage, Pauses
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_LONGEST_PAUSE = 60.0
_BETWEEN_SESSIONS = 5.0
"""Discord ends a session that begins within five seconds of another one of the same bot."""


class Silence:
    """Logs each trouble once, however long it lasts, and its end."""

    def __init__(self, clock: Clock) -> None:
        self._told = ""
        self._pauses = Pauses(clock, _LONGEST_PAUSE)

    def tell(self, trouble: Outage) -> None:
        if trouble.text != self._told:
            level = logging.ERROR if trouble.final else logging.WARNING
            _log.log(level, "%s. %s", trouble.text, trouble.helps)
        self._told = trouble.text

    @property
    def reached(self) -> bool:
        """Returns True if the last contact went well."""
        return self._pauses.reached

    async def wait_out(self, trouble: Outage) -> None:
        self.tell(trouble)
        await self._pauses.after(trouble)

    def over(self) -> None:
        if self._told:
            _log.info("Discord is back: events arrive again.")
        self._told = ""
        self._pauses.over()


class Beginning:
    """Lets one connection after another begin a session."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._one = asyncio.Lock()
        self._free_at = 0.0

    @asynccontextmanager
    async def turn(self) -> AsyncGenerator[None]:
        async with self._one:
            await self._clock.sleep(max(0.0, self._free_at - self._clock.steady()))
            try:
                yield
            finally:
                self._free_at = self._clock.steady() + _BETWEEN_SESSIONS
