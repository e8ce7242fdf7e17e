"""Looks at a run from outside of its work, for an operator."""

import asyncio
import logging
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version

from bot.adapters.metrics.counts import Counts
from bot.adapters.metrics.state import State
from bot.bootstrap.door_form import Inside
from bot.domain.talk.errors import StewardError

_STORE_SECONDS = 3.0
"""Seconds for the store: one that is away is told, and not waited for."""

_FRESH_SECONDS = 5.0
"""Seconds for which a write of the store counts: each one waits for the disk."""

_LONGEST_LAG = 1.0
_LOG = logging.getLogger(__name__)


class Look:
    """Looks at a run from outside of its work."""

    def __init__(self, inside: Inside, counts: Counts) -> None:
        self._inside = inside
        self._counts = counts
        self._world = inside.application.parts.world
        self._began = datetime.now(UTC)
        self._wrote_at = float("-inf")

    async def lacking(self) -> str:
        """Returns what is not ready, in one sentence; empty when everything is."""
        lacks = [f"{name} is not reached" for name, reached in self._platforms() if not reached]
        if not await self._writable():
            lacks.append("the database cannot be written")
        lag = await _lag()
        if lag > _LONGEST_LAG:
            lacks.append(f"the event loop is {lag:.1f} s late")
        return "; ".join(lacks)

    async def told(self) -> bytes:
        """Returns all numbers in the text form of Prometheus."""
        waiting = None
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                waiting = await self._inside.store.queues()
        except (StewardError, TimeoutError) as fault:
            _LOG.info("the store tells no numbers: %s", fault or "it does not answer")
        now, holds = self._world.clock.now(), self._world.holds()
        queues = None
        if waiting is not None:
            ages = [None if q.oldest is None else (now - q.oldest).total_seconds() for q in waiting]
            queues = [(q.name, q.waiting, age) for q, age in zip(waiting, ages, strict=True)]
        state = State(
            version("steward"),
            queues,
            queues is not None and self._inside.store.works(),
            dict(self._platforms()),
            holds,
            await _lag(),
            self._began,
        )
        return state.text(self._counts.registry)

    def _platforms(self) -> Sequence[tuple[str, bool]]:
        return [(name, reached()) for name, reached in self._inside.reached.items()]

    async def _writable(self) -> bool:
        if time.monotonic() - self._wrote_at < _FRESH_SECONDS:
            return True
        try:
            async with asyncio.timeout(_STORE_SECONDS):
                await self._inside.store.check_writable()
        except (StewardError, TimeoutError):
            return False
        self._wrote_at = time.monotonic()
        return True


async def _lag() -> float:
    """Returns the seconds for which work that is ready has to wait for the event loop."""
    begun = time.monotonic()
    await asyncio.sleep(0)
    return time.monotonic() - begun
