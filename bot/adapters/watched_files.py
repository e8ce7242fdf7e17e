"""Reads files at the start of a run, and again whenever they change."""

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Self

from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

LOOK_SECONDS = 2.0
"""Seconds between two looks at the files."""


class WatchedFiles(ABC):
    """Loads as it is entered, and watches until it is left; both happen in threads.

    `what` names the files in the log.
    """

    def __init__(self, what: str, clock: Clock) -> None:
        self._what = what
        self._clock = clock
        self._seen: Hashable = None
        self._task: asyncio.Task[None] | None = None

    @abstractmethod
    def looks(self) -> Hashable:
        """Returns what changes with the files, without reading them; never raises."""

    @abstractmethod
    def read(self) -> str:
        """Reads the files anew, and returns a few words about them for the log; never raises."""

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.load)
        self._task = asyncio.create_task(self._watch(), name=self._what)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def load(self) -> str:
        """Reads the files as they are now."""
        # First, so that a change in between is seen at the next look.
        self._seen = self.looks()
        return self.read()

    async def _watch(self) -> None:
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            if await asyncio.to_thread(self.looks) != self._seen:
                about = await asyncio.to_thread(self.load)
                _LOG.info("the %s changed: %s", self._what, about)
