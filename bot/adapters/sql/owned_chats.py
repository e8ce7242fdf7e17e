"""Owns chats by locks of a PostgreSQL session: the server frees them when the process dies."""

import asyncio
import time
from collections.abc import Callable, Collection
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection, text

from bot.adapters.sql.patience import Patience
from bot.adapters.sql.postgres import PostgresDatabase
from bot.ports.lanes import ChatWithWork, Look

T = TypeVar("T")

_CHATS = 1 << 56
"""The key of chat 0; the keys of other locks are smaller."""

_MOST = 500
"""Chats that one look returns."""

_QUICKLY_GONE = text(
    "SELECT set_config('tcp_keepalives_idle', '4', false),"
    " set_config('tcp_keepalives_interval', '2', false),"
    " set_config('tcp_keepalives_count', '3', false)"
)
"""Has the server notice within 10 s that the machine of this process is gone."""

_MOVE = text(
    "SELECT key, wanted,"
    " CASE WHEN wanted THEN pg_try_advisory_lock(key) ELSE pg_advisory_unlock(key) END"
    " FROM unnest(CAST(:keys AS bigint[]), CAST(:wanted AS boolean[])) AS moved (key, wanted)"
)
"""Frees some chats and takes others, in one question."""

_TRIES = 5
_TRY_SECONDS = 0.1
"""Seconds between two tries to have the chats of a lost connection again: it may just end."""

# Runs of tasks and calls of hooks that have not begun stand in the line of the process that wrote
# them: it lets a few begin at once.
_WITH_WORK = text(
    """
    SELECT chat, md5(string_agg(mark, ' ' ORDER BY mark)), array_remove(array_agg(stopped), NULL)
    FROM (
        SELECT chat, concat(id, state, rests) AS mark,
            CASE WHEN stop_asked IS NOT NULL THEN id END AS stopped
        FROM turn WHERE state IN ('queued', 'running', 'resting') AND (
            state <> 'queued' OR origin NOT IN ('task', 'hook', 'reflection')
            OR stop_asked IS NOT NULL
        )
        UNION ALL
        SELECT chat, concat(id, state), id FROM turn
        WHERE state = 'parked' AND stop_asked IS NOT NULL
        UNION ALL
        SELECT coalesce(home, chat), concat(id, state), NULL FROM approval
        WHERE state <> 'open' AND NOT turn_settled
        UNION ALL
        SELECT chat, CAST(max(id) AS text), NULL FROM inbox
        WHERE state = 'waiting' GROUP BY chat
        UNION ALL
        SELECT chat, concat(id, state), NULL FROM errand WHERE state = 'done' AND NOT taken
        UNION ALL
        SELECT home, concat(id, 'recalled'), id FROM errand
        WHERE recalled AND state = 'working' AND NOT taken
    ) AS work
    WHERE chat > :after GROUP BY chat ORDER BY chat LIMIT :most
    """
)


class SqlOwnedChats:
    """The port `OwnedChats`, by one connection that asks one thing at a time.

    A chat that is left is freed by the next question. If the connection was lost, the chats that
    are still free are taken again; the others are told as robbed. What was written meanwhile is
    right in any case: each write checks the fence of its chat.
    """

    def __init__(self, database: PostgresDatabase, patience: Patience | None) -> None:
        self._database = database
        self._patience = patience
        self._asking = asyncio.Lock()
        # The thread that asks changes these two: what the server has done stands in spite of a
        # cancel.
        self._held: set[int] = set()
        self._robbed: set[int] = set()
        self._left: set[int] = set()

    async def take(self, chat: int) -> bool:
        if chat not in self._held:
            await self._ask(partial(self._move, taken=(chat,)))
        self._left.discard(chat)
        return chat in self._held

    def leave(self, chat: int) -> None:
        if chat in self._held:
            self._left.add(chat)

    async def look(self, after: int) -> Look:
        found = await self._ask(partial(self._found, after=after))
        robbed, self._robbed = frozenset(self._robbed), set()
        return Look(found, found[-1].chat if len(found) == _MOST else None, robbed)

    async def _ask(self, question: Callable[[Connection, Collection[int]], T]) -> T:
        async with self._asking:
            freed = frozenset(self._left & self._held)
            self._left.clear()
            self._held -= freed

            async def attempt() -> T:
                return await self._database.apart(self._begin, lambda c: question(c, freed))

            if self._patience is None:
                return await attempt()
            return await self._patience.through(attempt, writes=False)

    def _begin(self, connection: Connection) -> None:
        """Takes the chats of a lost connection again, if nobody else has them by now."""
        connection.execute(_QUICKLY_GONE)
        missing = set(self._held)
        for _ in range(_TRIES):
            missing -= _moved(connection, (), missing)
            if not missing:
                return
            time.sleep(_TRY_SECONDS)
        self._held -= missing
        self._robbed |= missing

    def _move(self, connection: Connection, freed: Collection[int], taken: Collection[int]) -> None:
        self._held |= _moved(connection, freed, taken)

    def _found(
        self, connection: Connection, freed: Collection[int], after: int
    ) -> list[ChatWithWork]:
        self._move(connection, freed, ())
        rows = connection.execute(_WITH_WORK, {"after": after, "most": _MOST})
        return [ChatWithWork(chat, mark, frozenset(stopped)) for chat, mark, stopped in rows]


def _moved(connection: Connection, freed: Collection[int], taken: Collection[int]) -> set[int]:
    """Frees chats, which does nothing on a new connection; returns the chats it could take."""
    if not freed and not taken:
        return set()
    keys = [_CHATS + chat for chat in (*freed, *taken)]
    wanted = [False] * len(freed) + [True] * len(taken)
    rows = connection.execute(_MOVE, {"keys": keys, "wanted": wanted})
    return {key - _CHATS for key, wished, done in rows if wished and done}
