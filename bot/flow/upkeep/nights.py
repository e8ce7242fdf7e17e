"""The nights in which old things are removed."""

import logging
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from bot.domain.clock.zones import Zones
from bot.domain.talk.errors import Conflict, StoreError
from bot.domain.talk.keeping import Ageing
from bot.domain.talk.limits import KeepBounds
from bot.domain.talk.person import Role
from bot.domain.value import frozen
from bot.flow.world import ClearCopies
from bot.ports.clock import Clock
from bot.ports.outbox import Deliveries
from bot.ports.people import People
from bot.ports.upkeep import KeptSizes, Upkeep

_LOG = logging.getLogger(__name__)

LOOK_SECONDS = 300.0
"""Seconds between two looks at the clock."""

_FROM, _TO = 2, 6
"""The hours of an owner's clock between which removing begins."""

_PAUSE_SECONDS = 0.05
"""Seconds between two bites, in which others write."""

_LONGEST = timedelta(days=3)
"""A machine that is off each night removes by day after this time."""

_HALF_A_DAY = timedelta(hours=12)
_DAY = timedelta(days=1)


@frozen
class Nights:
    """Removes once a night by the clock of an owner; several processes leave it to one of them."""

    _upkeep: Upkeep
    _outbox: Deliveries
    _people: People
    _clear_copies: ClearCopies
    _zones: Zones
    _clock: Clock
    _bounds: KeepBounds

    async def run(self) -> None:
        """Looks until it is cancelled."""
        while True:
            try:
                await self.look()
            except (StoreError, Conflict, OSError) as fault:
                _LOG.warning("removing what is old has to wait: %s", fault)
            await self._clock.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Removes if it is time, and measures once a day in any case."""
        if not await self._upkeep.is_ours():
            return
        now, kept = self._clock.now(), await self._upkeep.kept()
        if await self._is_time(now, kept):
            await self._remove(now)
        elif kept.newest is None or kept.newest.at.astimezone(UTC).date() < now.date():
            await self._upkeep.measure(now, swept=False)

    async def _is_time(self, now: datetime, kept: KeptSizes) -> bool:
        last = kept.swept_at
        if last is not None and timedelta() <= now - last < _HALF_A_DAY:
            return False
        known = kept.before or kept.newest
        since = last or (known.at if known is not None else now)
        if now - since >= _LONGEST:
            return True
        return _FROM <= now.astimezone(await self._zone()).hour < _TO

    async def _zone(self) -> ZoneInfo:
        people = {person.id: person for _, person in await self._people.accounts()}
        owners = [one for one in people.values() if one.role is Role.OWNER]
        known = next((one for one in owners if one.timezone), None)
        return ZoneInfo(self._zones.of(known))

    async def _remove(self, now: datetime) -> None:
        removed = 0
        for passing in Ageing:
            if days := self._bounds.of(passing):
                removed += await self._of(passing, now - days * _DAY, now)
        if days := self._bounds.files_days:
            await self._clear_copies(now - days * _DAY, await self._owed())
        await self._upkeep.measure(now, swept=True)
        if removed:
            _LOG.info("%s old rows were removed or emptied", f"{removed:,}")

    async def _of(self, passing: Ageing, before: datetime, now: datetime) -> int:
        removed, more = 0, True
        while more:
            bite = await self._upkeep.bite(passing, before, now)
            removed, more = removed + bite.removed, bite.more
            await self._clock.sleep(_PAUSE_SECONDS)
        return removed

    async def _owed(self) -> frozenset[str]:
        """Returns the paths of copies whose messages are still to be delivered."""
        paths: set[str] = set()
        for chat in await self._outbox.chats_owed():
            last = 0
            while rows := await self._outbox.owed(chat, last):
                paths.update(file.path for row in rows for file in row.content.files)
                last = rows[-1].id
        return frozenset(paths)
