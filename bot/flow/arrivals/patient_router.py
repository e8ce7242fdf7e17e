"""Routes one update in any case: again where the world moved on or the store is sick."""

import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from bot.domain.change import Change, InboundState, MarkInbound
from bot.domain.talk.errors import Conflict, StoreUnavailable
from bot.domain.talk.message import Inbound
from bot.flow.arrivals.router import Router
from bot.flow.arrivals.set_aside import SetAsideUpdates
from bot.ports.clock import Clock
from bot.ports.inbox import InboundRow, Inbox
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)

_LOOKS = 5
"""Tries to route one update; a try fails when the chat changed at the same moment."""

_PAUSE_SECONDS = 1.0
"""Seconds until the store is asked again after it could not work."""


@dataclass(slots=True, eq=False)
class PatientRouter:
    """Wraps a router; an update that cannot be routed at all is set aside and marked dead."""

    _router: Router
    _inbox: Inbox
    _journal: Journal
    _clock: Clock
    _set_aside: SetAsideUpdates
    _complaint: str = field(default="", init=False)

    async def route(self, row: InboundRow, inbound: Inbound) -> None:
        """Routes an update; waits as long as the store cannot write."""
        await self._until_written(lambda: self._route(row, inbound))

    async def tidy(self) -> None:
        """Stores the marks that were collected; waits as long as the store cannot write."""
        await self._until_written(self._router.flush)

    async def _until_written(self, attempt: Callable[[], Awaitable[None]]) -> None:
        while True:
            try:
                await attempt()
            except StoreUnavailable as fault:
                # Once, however many updates meet the same fault.
                if str(fault) != self._complaint:
                    _LOG.log(fault.level, "%s, routing again in a second", fault)
                self._complaint = str(fault)
                await self._clock.sleep(_PAUSE_SECONDS)
            else:
                self._complaint = ""
                return

    async def _route(self, row: InboundRow, inbound: Inbound) -> None:
        try:
            await self._routed(row, inbound)
        except StoreUnavailable:
            raise
        except Exception as fault:  # one faulty update must not stop the routing
            _LOG.exception("update %s of %s is set aside", row.key, row.channel)
            reason = f"{type(fault).__name__}: {fault}"[:500]
            dead = MarkInbound(row.id, InboundState.DEAD, (InboundState.NEW,), reason=reason)
            # A conflict means that the update is marked already: the fault came after routing.
            with suppress(Conflict):
                told = await self._set_aside.told(row, inbound)
                await self._journal.commit(Change((dead, *told)))

    async def _routed(self, row: InboundRow, inbound: Inbound) -> None:
        for _ in range(_LOOKS - 1):
            try:
                await self._router.route(row, inbound)
            except Conflict:
                if not await self._is_new(row):
                    _LOG.info("update %s of %s was routed by somebody else", row.key, row.channel)
                    return
            else:
                return
        await self._router.route(row, inbound)

    async def _is_new(self, row: InboundRow) -> bool:
        """Looks whether an update is still unrouted: processes on one database share an inbox."""
        now = await self._inbox.get(row.id)
        return now is not None and now.state is InboundState.NEW
