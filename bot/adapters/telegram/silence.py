"""Waits while no updates come, and logs the reason once."""

import logging

from bot.adapters.platforms.outage import Outage, Pauses
from bot.adapters.telegram.api import TelegramApi
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_LONGEST_PAUSE = 30.0
UNREACHED = "unreached"
"""The kind of all troubles on the way to Telegram."""


class Silence:
    """Logs each trouble once, however long it lasts, and its end."""

    def __init__(self, api: TelegramApi, clock: Clock) -> None:
        self._api = api
        self._told_by_name = False
        self._pauses = Pauses(clock, _LONGEST_PAUSE)

    @property
    def reached(self) -> bool:
        """Returns True if the last contact went well."""
        return self._pauses.reached

    async def wait_out(self, trouble: Outage) -> None:
        text = self._api.scrub(trouble.text)
        kind = trouble.kind or text
        if kind != self._api.trouble:
            _log.warning("%s. %s", text, trouble.helps)
            self._api.trouble = kind
            self._told_by_name = bool(self._api.own_name)
        await self._pauses.after(trouble)

    def over(self) -> None:
        """Logs the end of a trouble, unless the line about the first contact follows anyway."""
        if self._api.trouble and self._told_by_name:
            _log.info("Telegram is back: updates arrive again.")
        self._api.trouble = ""
        self._pauses.over()
