"""Locks of one PostgreSQL session: the server frees all of them when the process dies."""

import asyncio
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, text

from bot.adapters.sql.patience import Patience
from bot.adapters.sql.postgres import PostgresDatabase
from bot.adapters.sql.postgres_lines import QUICKLY_GONE

T = TypeVar("T")

CHATS = 1 << 56
"""The key of chat 0; the keys of other locks are smaller, or belong to the two below."""

PROCESSES = 1 << 57
"""The key of process 0: it is held for as long as the process lives."""

DELIVERIES = 1 << 58
"""The key of the delivery to chat 0."""

MOST_KEPT = 256
"""Locks that a process which is alone keeps though it does not use them: they are wanted again."""

_MOVE = text(
    "SELECT key, wanted,"
    " CASE WHEN wanted THEN pg_try_advisory_lock(key) ELSE pg_advisory_unlock(key) END"
    " FROM unnest(CAST(:keys AS bigint[]), CAST(:wanted AS boolean[])) AS moved (key, wanted)"
)
"""Frees some locks and takes others, in one question."""

_TRIES = 5
_TRY_SECONDS = 0.1
"""Seconds between two tries to have the locks of a lost connection again: it may just end."""


class SessionLocks:
    """Locks by one connection that asks one thing at a time; among them that of this process.

    A lock that is left is freed by the next question, or when another process is there. If the
    connection was lost, the locks that are still free are taken again; the others are robbed.
    """

    def __init__(self, database: PostgresDatabase, patience: Patience | None) -> None:
        self._database = database
        self._patience = patience
        self._asking = asyncio.Lock()
        self._own = PROCESSES + database.process
        # The thread that asks changes these two: what the server has done stands in spite of a
        # cancel.
        self._held: set[int] = set()
        self._robbed: set[int] = set()
        self._left: dict[int, None] = {}
        self.alone = False
        """True when no other process was there at the last look for others."""
        self.to_free = asyncio.Event()
        """Set when another process may wait for a lock that is left."""

    @property
    def process(self) -> int:
        """Returns the number of this process."""
        return self._database.process

    async def take(self, key: int) -> bool:
        """Returns True when this process has the lock."""
        if key not in self._held:
            await self.ask(lambda _: None, taken=(key,))
        self._left.pop(key, None)
        return key in self._held

    def leave(self, key: int) -> None:
        """Lets others have a lock soon."""
        if key in self._held:
            self._left[key] = None
            if not self.alone:
                self.to_free.set()

    async def free(self) -> None:
        """Frees what is left, once there is something and another process."""
        await self.to_free.wait()
        self.to_free.clear()
        if self._left:
            await self.ask(lambda _: None)

    def robbed(self, base: int) -> frozenset[int]:
        """Returns what was lost since the last call of the locks above a base, without the base."""
        lost = {key for key in self._robbed if base <= key < 2 * base}
        self._robbed -= lost
        return frozenset(key - base for key in lost)

    async def ask(self, question: Callable[[Connection], T], taken: Collection[int] = ()) -> T:
        """Asks on the connection of the locks, and moves locks before."""
        async with self._asking:
            freed = self._to_free_now()
            self._held -= freed

            async def attempt() -> T:
                return await self._database.apart(
                    self._begin, partial(self._asked, question, freed, taken)
                )

            if self._patience is None:
                return await attempt()
            return await self._patience.through(attempt, writes=False)

    def see_others(self, others: Collection[int]) -> None:
        """Notes which other processes live: for their sake nothing is kept."""
        self.alone = not others
        if others and self._left:
            self.to_free.set()

    def _to_free_now(self) -> frozenset[int]:
        over = len(self._left) - MOST_KEPT if self.alone else len(self._left)
        freed = [key for key, _ in zip(self._left, range(over), strict=False)]
        for key in freed:
            del self._left[key]
        return frozenset(freed) & self._held

    def _begin(self, connection: Connection) -> None:
        """Takes the locks of a lost connection again, if nobody else has them by now."""
        connection.execute(QUICKLY_GONE)
        missing = {self._own, *self._held}
        for _ in range(_TRIES):
            missing -= _moved(connection, (), missing)
            if not missing:
                break
            time.sleep(_TRY_SECONDS)
        self._held = (self._held | {self._own}) - missing
        self._robbed |= missing - {self._own}

    def _asked(
        self,
        question: Callable[[Connection], T],
        freed: Collection[int],
        taken: Collection[int],
        connection: Connection,
    ) -> T:
        wanted = {*taken, self._own} - self._held
        self._held |= _moved(connection, freed, wanted)
        return question(connection)


def _moved(connection: Connection, freed: Collection[int], taken: Collection[int]) -> set[int]:
    """Frees locks, which does nothing on a new connection; returns the locks it could take."""
    if not freed and not taken:
        return set()
    keys = [*freed, *taken]
    wanted = [False] * len(freed) + [True] * len(taken)
    rows = connection.execute(_MOVE, {"keys": keys, "wanted": wanted})
    return {key for key, wished, done in rows if wished and done}
