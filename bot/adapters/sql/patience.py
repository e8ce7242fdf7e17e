"""Waits for a database that is away or cannot be written, for everybody who asks it."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from sqlalchemy import Executable

from bot.adapters.sql.database import Database, Work
from bot.adapters.sql.prepared import Prepared, Values
from bot.domain.talk.errors import (
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreInDoubt,
    StoreRefused,
    StoreUnwritable,
)
from bot.domain.value import frozen

T = TypeVar("T")
_LOG = logging.getLogger(__name__)

_PAUSE_SECONDS = 0.5
"""Seconds between two tries of the whole program."""

_BUSY_TRIES = 4
"""Tries of a transaction that meets a lock; before each the database has waited already."""

_BLIP_SECONDS = 0.4
"""Seconds after which a trouble is told: one broken connection is replaced before that."""

_TOLD_AGAIN_SECONDS = 60.0
"""Seconds in which the same trouble is told once, however often it comes and goes."""


class Patience:
    """Knows whether the database can work, and says so once: when it cannot, and when it can again.

    Anyone who waits tries again in turn, one in half a second. The first success wakes the others.
    """

    def __init__(self) -> None:
        self._begun = False
        self._works = asyncio.Event()
        self._works.set()
        self._turns = asyncio.Lock()
        self._trouble: StoreError | None = None
        self._since = 0.0
        self._told_at: dict[str, float] = {}
        self._returned = asyncio.Event()
        self._told = False
        self._stuck = asyncio.Event()
        self._unwritable = StoreUnwritable("nothing was tried")

    @property
    def works(self) -> bool:
        """Returns False while anybody waits for the database to work again."""
        return self._works.is_set()

    def begin(self) -> None:
        """Ends the start of the program, in which a person may still see what has to be changed.

        Until then only a server that is not up yet is waited for.
        """
        self._begun = True

    async def through(
        self, attempt: Callable[[], Awaitable[T]], *, writes: bool, repeatable: bool = True
    ) -> T:
        """Tries until the database could do it; a fault of any other kind is raised.

        After a commit in doubt only a `repeatable` attempt is made again. For any other one the
        fault is raised, and the caller looks what was written: that look waits. A task
        that is being cancelled waits for nothing.
        """
        doubt: StoreInDoubt | None = None
        busy = 0
        while True:
            try:
                done = await attempt()
            except StoreBusy:
                busy += 1
                if busy == _BUSY_TRIES or _is_cancelled():
                    raise
                continue
            except (StoreAway, StoreUnwritable) as fault:
                if not self._waits_for(fault):
                    raise
                self._note(fault)
                if isinstance(fault, StoreInDoubt) and not repeatable:
                    doubt = fault
            else:
                self._worked(writes=writes)
                return done
            await self._turn()
            if doubt is not None:
                raise doubt

    def _waits_for(self, fault: StoreError) -> bool:
        if _is_cancelled():
            return False
        return self._begun or (isinstance(fault, StoreAway) and not isinstance(fault, StoreRefused))

    async def returned(self) -> None:
        """Waits until the database has been away and is back.

        Whoever waited may have given up, and a standby may not have the last changes of its
        primary, so the work is looked for anew.
        """
        await self._returned.wait()
        self._returned.clear()

    async def unwritable(self) -> StoreUnwritable:
        """Waits until nothing can be written for a moment, as on a full disk; returns the fault."""
        await self._stuck.wait()
        self._stuck.clear()
        return self._unwritable

    async def _turn(self) -> None:
        """Waits for a turn to try again, or until it works for somebody."""
        async with self._turns:
            if not self._works.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(_PAUSE_SECONDS):
                        await self._works.wait()

    def _note(self, fault: StoreError) -> None:
        now = time.monotonic()
        if self._trouble is None:
            self._since, self._told = now, False
        elif not self._told and now >= self._since + _BLIP_SECONDS:
            self._told = self._is_news(fault, now)
            if self._told:
                _LOG.warning("The database cannot work now: %s. Everything waits for it.", fault)
                if isinstance(fault, StoreUnwritable):
                    self._unwritable = fault
                    self._stuck.set()
        self._trouble = fault
        self._works.clear()

    def _is_news(self, fault: StoreError, now: float) -> bool:
        kind = "unwritable" if isinstance(fault, StoreUnwritable) else "away"
        told = self._told_at.get(kind)
        if told is not None and now < told + _TOLD_AGAIN_SECONDS:
            return False
        self._told_at[kind] = now
        return True

    def _worked(self, *, writes: bool) -> None:
        trouble = self._trouble
        # A full disk can still be read.
        if trouble is None or (isinstance(trouble, StoreUnwritable) and not writes):
            return
        self._trouble = None
        self._works.set()
        self._returned.set()
        if self._told:
            _LOG.warning("The database works again, after %.0f s.", time.monotonic() - self._since)


def _is_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


@frozen
class WatchedDatabase:
    """Asks a database, with patience if there is some.

    Tells `damaged` of what cannot be read, and `written` of each change.
    """

    _database: Database
    _patience: Patience | None = None
    _damaged: Callable[[StoreDamaged], None] = lambda _: None
    _written: Callable[[], None] = lambda: None

    async def fetch(
        self, statement: Executable | Prepared, values: Values | None = None
    ) -> Sequence[Any]:
        return await self._asked(lambda: self._database.fetch(statement, values), writes=False)

    async def read(self, work: Work[T]) -> T:
        return await self._asked(lambda: self._database.read(work), writes=False)

    async def write(self, work: Work[T], *, durable: bool = False, repeatable: bool = False) -> T:
        try:
            return await self._asked(
                lambda: self._database.write(work, durable=durable),
                writes=True,
                repeatable=repeatable,
            )
        finally:
            # A cancel comes after the commit, and a look at nothing new does no harm.
            self._written()

    async def hold(self, key: int) -> bool:
        return await self._asked(lambda: self._database.hold(key), writes=False)

    async def _asked(
        self, attempt: Callable[[], Awaitable[T]], *, writes: bool, repeatable: bool = True
    ) -> T:
        try:
            if self._patience is None:
                return await attempt()
            return await self._patience.through(attempt, writes=writes, repeatable=repeatable)
        except StoreDamaged as fault:
            self._damaged(fault)
            raise
