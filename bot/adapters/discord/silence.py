"""Waits while no events come, logs the reason once, and lets sessions begin one by one."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 60.0
_BETWEEN_SESSIONS = 5.0
"""Discord ends a session that begins within five seconds of another one of the same bot."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A reason for missing events; `pause` in seconds, None for one that grows.

    With `final` nothing is tried again before a restart: only a person can help.
    """

    text: str
    pause: float | None = None
    helps: str = "I keep trying."
    final: bool = False


class Silence:
    """Logs each trouble once, however long it lasts, and its end."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._told = ""
        self._pause = _FIRST_PAUSE

    def tell(self, trouble: Outage) -> None:
        if trouble.text != self._told:
            level = logging.ERROR if trouble.final else logging.WARNING
            _log.log(level, "%s. %s", trouble.text, trouble.helps)
        self._told = trouble.text

    async def wait_out(self, trouble: Outage) -> None:
        self.tell(trouble)
        if trouble.pause is not None:
            await self._clock.sleep(trouble.pause)
            return
        await self._clock.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def over(self) -> None:
        if self._told:
            _log.info("Discord is back: events arrive again.")
        self._told = ""
        self._pause = _FIRST_PAUSE


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
