"""Waits while no updates come, and logs the reason once."""

import logging
from dataclasses import dataclass

from bot.adapters.telegram.api import TelegramApi
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0


@dataclass(frozen=True, slots=True)
class Trouble:
    """A reason for missing updates; `pause` in seconds, None for one that grows."""

    text: str
    pause: float | None = None


class Silence:
    """Logs each trouble once, however long it lasts, and its end."""

    def __init__(self, api: TelegramApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._complaint: str | None = None
        self._pause = _FIRST_PAUSE

    async def wait_out(self, trouble: Trouble) -> None:
        text = self._api.scrub(trouble.text)
        if text != self._complaint:
            _log.warning("no updates: %s", text)
            self._complaint = text
        if trouble.pause is not None:
            await self._clock.sleep(trouble.pause)
            return
        await self._clock.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def over(self) -> None:
        if self._complaint is not None:
            _log.info("updates arrive again")
        self._complaint = None
        self._pause = _FIRST_PAUSE
