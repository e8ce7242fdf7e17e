"""Stores updates as they come, then routes them one after another in the same order."""

import asyncio
import logging
from collections.abc import Sequence
from contextlib import suppress

from bot.domain.change import Change, InboundState, MarkInbound
from bot.domain.errors import Conflict, StoreBusy, StoreUnwritable
from bot.domain.message import RawUpdate
from bot.flow.arrivals.router import Router
from bot.flow.queue.seams import Seams
from bot.flow.tasks import awaited
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)

_BATCH = 200
_LOOKS = 5
"""Tries to route one update; a try fails when the chat changed at the same moment."""


class Intake:
    """Takes in the updates of every channel."""

    def __init__(
        self, inbox: Inbox, journal: Journal, router: Router, seams: Seams, clock: Clock
    ) -> None:
        self._inbox = inbox
        self._journal = journal
        self._router = router
        self._seams = seams
        self._clock = clock
        self._arrived = asyncio.Event()

    async def accept(self, channel: str, updates: Sequence[RawUpdate]) -> None:
        """Stores updates; after this returns, the platform may hear that they arrived."""
        if await self._inbox.accept(channel, updates, self._clock.now()):
            self._arrived.set()

    async def run(self) -> None:
        """Routes stored updates for as long as the program runs."""
        self._arrived.set()
        while True:
            await self._something_to_route()
            self._arrived.clear()
            try:
                await self._route_stored()
            except (StoreBusy, StoreUnwritable) as fault:
                _LOG.warning("%s, routing again in a second", fault)
                await self._clock.sleep(1.0)
                self._arrived.set()

    async def _something_to_route(self) -> None:
        """Waits for a new update, or until a kept fragment has been kept long enough."""
        moment = self._seams.soonest()
        if moment is None:
            await self._arrived.wait()
            return
        await awaited(self._arrived, self._clock, moment)

    async def _route_stored(self) -> None:
        """Routes stored updates until none is left; a later update sets the event again."""
        rows: Sequence[InboundRow] | None = None
        most = 0
        while rows is None or len(rows) == most:
            # Kept fragments are still new: the limit grows with them, so that they do not use up
            # the places of the updates behind them.
            most = _BATCH + self._seams.kept
            rows = await self._inbox.unrouted(most)
            for row in rows:
                if not self._seams.keeps(row):
                    await self._route(row)
            await self._router.flush()

    async def _route(self, row: InboundRow) -> None:
        try:
            await self._routed(row)
        except (StoreBusy, StoreUnwritable):
            raise
        except Exception as fault:  # noqa: BLE001 - one faulty update must not stop the routing
            _LOG.exception("update %s of %s is set aside", row.key, row.channel)
            reason = f"{type(fault).__name__}: {fault}"[:500]
            dead = MarkInbound(row.id, InboundState.DEAD, (InboundState.NEW,), reason=reason)
            # A conflict means that the update is marked already: the fault came after routing.
            with suppress(Conflict):
                await self._journal.commit(Change((dead,)))

    async def _routed(self, row: InboundRow) -> None:
        for _ in range(_LOOKS - 1):
            with suppress(Conflict):
                await self._router.route(row)
                return
        await self._router.route(row)
