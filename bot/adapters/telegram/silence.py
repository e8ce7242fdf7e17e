"""Waits while no updates come, and logs the reason once."""

import logging
from dataclasses import dataclass

from bot.adapters.telegram.api import TelegramApi
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
UNREACHED = "unreached"
"""The kind of all troubles on the way to Telegram."""


@dataclass(frozen=True, slots=True)
class Outage:
    """A reason for missing updates; `pause` in seconds, None for one that grows.

    `helps` is the sentence about what is done, or what a person can do. Troubles of the same `kind`
    are one, whatever their texts say.
    """

    text: str
    pause: float | None = None
    helps: str = "I keep trying."
    kind: str = ""


class Silence:
    """Logs each trouble once, however long it lasts, and its end."""

    def __init__(self, api: TelegramApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._told_by_name = False
        self._pause = _FIRST_PAUSE

    async def wait_out(self, trouble: Outage) -> None:
        text = self._api.scrub(trouble.text)
        kind = trouble.kind or text
        if kind != self._api.trouble:
            _log.warning("%s. %s", text, trouble.helps)
            self._api.trouble = kind
            self._told_by_name = bool(self._api.own_name)
        if trouble.pause is not None:
            await self._clock.sleep(trouble.pause)
            return
        await self._clock.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def over(self) -> None:
        """Logs the end of a trouble, unless the line about the first contact follows anyway."""
        if self._api.trouble and self._told_by_name:
            _log.info("Telegram is back: updates arrive again.")
        self._api.trouble = ""
        self._pause = _FIRST_PAUSE
