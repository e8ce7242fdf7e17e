"""Stores updates as they come, then puts them into the lines of their places."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from bot.domain.talk.errors import StoreUnavailable
from bot.domain.talk.message import Inbound, RawUpdate
from bot.flow.arrivals.lines import Lines, places_of
from bot.flow.queue.seams import Seams
from bot.flow.reading.overhearing import Overhearing
from bot.flow.reading.row_reader import RowReader
from bot.ports.clock import Clock
from bot.ports.inbox import Accepting, InboundRow, OtherHands
from bot.ports.peers import LeftBehind

_LOG = logging.getLogger(__name__)

_BATCH = 200

_OTHERS_LAST = timedelta(seconds=10)
"""The time in which another process routes an update, or dies and leaves it to a living one."""

_OTHERS_SECONDS = 0.05
"""Seconds between two looks at what other processes have still to route."""


@dataclass(slots=True, eq=False)
class Intake:
    """Takes in the updates of every channel.

    Of several processes that are told of updates, one may have stored an earlier update of a place
    and not routed it. Then the later one waits: so a place keeps the order of its updates.
    """

    _inbox: Accepting
    """Stores updates, and finds those that are in nobody's hands."""
    _rows: RowReader
    """Reads what an update says."""
    _lines: Lines
    """The lines in which updates wait, one for each place."""
    _seams: Seams
    """Keeps fragments for a moment, until the rest of them is there."""
    _overhearing: Overhearing
    """Collects what was not said to the bot."""
    _clock: Clock
    """The clock of the waits."""
    _others: OtherHands | None = None
    """Updates of other processes; None where there can be none."""
    _held_back: bool = field(default=False, init=False)
    """True when an update waits for one of another process."""
    _arrived: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    """Set when there may be something to take in."""
    _looking: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    """Held while it reads and judges the order: meanwhile no update becomes its own."""
    _unserved: set[int] = field(default_factory=set[int], init=False)
    """Updates of channels that this start does not serve."""
    _fresh: list[InboundRow] = field(default_factory=list[InboundRow], init=False)
    """Updates that were stored since the last look."""
    _looks: bool = field(default=True, init=False)
    """True when there may be other updates in the store."""
    _found: set[int] = field(default_factory=set[int], init=False)
    """The updates that the last look has found."""

    async def accept(self, channel: str, updates: Sequence[RawUpdate]) -> None:
        """Stores updates; after this returns, the platform may hear that they arrived."""
        try:
            added = await self._inbox.accept(channel, updates, self._clock.now())
        except asyncio.CancelledError:
            # A cancel comes through only after the commit.
            self.look_again()
            raise
        # The answer to a commit may have been lost: then a later try finds the updates stored.
        if len(added) < len(updates) or len(self._fresh) + len(added) > _BATCH:
            self.look_again()
        elif added:
            self._fresh += added
            self._arrived.set()

    def look_again(self) -> None:
        """Looks for stored updates that are in nobody's hands."""
        self._looks = True
        self._arrived.set()

    async def take_over(self, take: Callable[[], Awaitable[LeftBehind]]) -> LeftBehind:
        """Takes over what a dead process has left, so that its updates come in their order.

        One that changed hands between two reads would be in nobody's: a later one of its place
        would not wait for it.
        """
        async with self._looking:
            left = await take()
            if left.updates:
                self.look_again()
        return left

    async def run(self) -> None:
        """Hands stored updates on for as long as the program runs."""
        self.look_again()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._take_in(), name="updates")
            group.create_task(self._take_up_kept(), name="kept fragments")

    async def _take_in(self) -> None:
        while True:
            await self._next()
            self._arrived.clear()
            try:
                await self._seams.recall()
                await (self._take_in_stored() if self._looks else self._take_in_fresh())
            except StoreUnavailable as fault:
                _LOG.log(fault.level, "%s, looking for updates again in a second", fault)
                await self._clock.sleep(1.0)
                self.look_again()

    async def _next(self) -> None:
        """Waits for updates, or until one that is held back may be free."""
        if self._held_back:
            await self._clock.until(self._arrived, _OTHERS_SECONDS)
            self._looks = True
        else:
            await self._arrived.wait()

    async def _take_up_kept(self) -> None:
        """Has kept fragments routed that were kept long enough."""
        while True:
            await self._seams.due()
            self.look_again()

    async def _take_in_stored(self) -> None:
        """Puts stored updates into lines until none is left; a later one sets the event again."""
        self._looks = False
        self._found.clear()
        rows: Sequence[InboundRow] | None = None
        while rows is None or (len(rows) == _BATCH and not self._held_back):
            await self._lines.room()
            async with self._looking:
                self._fresh.clear()
                rows = await self._inbox.unrouted(_BATCH, self._in_hand())
                self._found.update(row.id for row in rows)
                await self._put(rows)

    async def _take_in_fresh(self) -> None:
        """Puts the updates into lines that were stored since the last look found all others."""
        await self._lines.room()
        async with self._looking:
            if self._looks:
                # Earlier ones may have become its own meanwhile: a look finds all in their order.
                return
            rows, self._fresh = self._fresh, []
            # The last look may have found one whose acceptance was not yet known here.
            await self._put([row for row in rows if row.id not in self._found])

    async def _put(self, rows: Sequence[InboundRow]) -> None:
        first: Mapping[str, int] = await self._first_elsewhere() if rows else {}
        self._held_back = False
        for row in rows:
            if not self._rows.serves(row):
                # It waits for a start with its channel.
                self._unserved.add(row.id)
                continue
            inbound = self._rows.read(row)
            if first and _comes_behind(first, row, inbound):
                self._held_back = True
            else:
                self._lines.put(row, inbound)
            # Reading takes time: what is going on elsewhere comes in between.
            await asyncio.sleep(0)

    async def _first_elsewhere(self) -> Mapping[str, int]:
        """Returns the first update that another process has still to route, by its place."""
        if self._others is None:
            return {}
        first: dict[str, int] = {}
        for row in await self._others.elsewhere(self._clock.now() - _OTHERS_LAST):
            for place in places_of(self._rows.read(row)):
                first.setdefault(place, row.id)
        return first

    def _in_hand(self) -> set[int]:
        """Returns the rows that are new in the inbox and must not be taken in once more."""
        return {*self._lines.held, *self._seams.kept, *self._overhearing.collected, *self._unserved}


def _comes_behind(first: Mapping[str, int], row: InboundRow, inbound: Inbound) -> bool:
    return any(first.get(place, row.id) < row.id for place in places_of(inbound))
