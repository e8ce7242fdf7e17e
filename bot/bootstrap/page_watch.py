"""Follows changes in the store: open pages are woken or ended, files of erased words removed."""

import asyncio
import logging
from contextlib import suppress
from time import monotonic

from bot.adapters.sql.page_rows import MOST_NEW, Stirred
from bot.adapters.sql.store import Store
from bot.adapters.web.hub import Hub
from bot.adapters.web.uploads import Uploads
from bot.domain.talk.errors import StoreError
from bot.domain.talk.session import PAGE
from bot.ports.bell import Peal
from bot.ports.clock import Clock

_ELSEWHERE_SECONDS = 5.0
"""Seconds between two looks for what another process has written."""

_TOLD_SECONDS = 10.0
"""Seconds between two rings that tell other processes of open pages."""

_MOST_PAST = 2_000
"""Cards and plans above the newest messages of all open pages that one look asks about."""

_LAP_SECONDS = 0.03
_SWEEP_SECONDS = 2.0
"""Seconds between two looks at the files that people gave to the page, at least."""

_LOG = logging.getLogger(__name__)


class PageWatch:
    """Looks once for all pages: a silent chat costs nothing, however many pages show it."""

    def __init__(self, store: Store, hub: Hub, uploads: Uploads, clock: Clock) -> None:
        self._store = store
        self._uploads = uploads
        self._hub = hub
        self._clock = clock
        self._since: Stirred | None = None
        self._rung = -_TOLD_SECONDS

    async def run(self) -> None:
        """Looks after each change in the store, until cancelled."""
        self._hub.opened = self._ring
        with self._store.written.watched() as written:
            while True:
                with suppress(TimeoutError):
                    async with asyncio.timeout(_ELSEWHERE_SECONDS):
                        await written.wait()
                written.clear()
                if self._hub.watches and monotonic() - self._rung >= _TOLD_SECONDS:
                    self._ring()
                try:
                    await self._look()
                except StoreError as fault:
                    _LOG.info("open pages have to wait: %s", fault)
                await asyncio.sleep(_LAP_SECONDS)

    def _ring(self) -> None:
        """Has other processes tell of what grows there: somebody looks here."""
        self._rung = monotonic()
        self._store.bell.ring(Peal.LOOKED, 0)

    async def sweep(self) -> None:
        """Removes files that people gave to the page, soon after their words were erased."""
        with self._store.written.watched() as written:
            while True:
                try:
                    await self._uploads.sweep(self._store.page.kept)
                except (StoreError, OSError) as fault:
                    _LOG.info("files that were given to the page have to wait: %s", fault)
                await asyncio.sleep(_SWEEP_SECONDS)
                await written.wait()
                written.clear()

    async def _look(self) -> None:
        watches = self._hub.watches
        if not watches:
            self._since = None
            return
        touched, self._hub.touched = self._hub.touched, set()
        elsewhere = {one.chat for one in watches if one.address.channel != PAGE}
        before = self._since or Stirred()
        past = sorted({id for one in watches for id in one.past})[-_MOST_PAST:]
        since = self._since = await self._store.page.stirred(before, elsewhere, past)
        sessions = {one.session for one in watches}
        live = await self._store.page.live(sessions, self._clock.now())
        # After a silence, or a flood, nobody knows which chats have changed.
        whole = max(since.said - before.said, since.shown - before.shown) >= MOST_NEW
        whole = whole or since.erased or not before.said
        for one in watches:
            one.erased = one.erased or since.erased or not before.line
            # A page that shows what its person may not do any more is loaded again.
            if live.get(one.session) != one.may:
                self._hub.end(one)
            elif whole or one.chat in since.chats or one.address in touched:
                self._hub.wake(one)
