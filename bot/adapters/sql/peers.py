"""Finds what dead processes left behind: their locks are free, and rows carry their numbers."""

from collections.abc import Collection

from sqlalchemy import Connection, bindparam, or_, text, update

from bot.adapters.sql.session_locks import CHATS, DELIVERIES, PROCESSES, SessionLocks
from bot.adapters.sql.tables import AT_WORK, UNROUTED, inbox, turn
from bot.adapters.sql.this_process import DOES_NOT_ROUTE, DOES_NOT_WORK, ThisProcess
from bot.domain.turn.turn import TurnState
from bot.ports.peers import LeftBehind, QueuedRun

_UNWATCHED = ("task", "hook", "reflection")
"""The origins of turns that stand in the line of a process."""

_MOST = 500
"""Chats with owed messages that one look returns."""

_NOBODY = 0
"""Stands for the owner of a row that has none; no process has this number."""

_LIVING, _ROUTER, _WORKER, _OWED = "living", "router", "worker", "owed"

_HELD = """
    WITH held AS MATERIALIZED (
        SELECT (CAST(classid AS bigint) << 32) | CAST(objid AS bigint) AS key FROM pg_locks
        WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND database = (
            SELECT oid FROM pg_database WHERE datname = current_database()
        )
    )
"""
_ALIVE = f"""
    SELECT '{_LIVING}', key - {PROCESSES} FROM held WHERE key >= {PROCESSES} AND key < {DELIVERIES}
"""
_LOOK = text(
    f"""
    {_HELD} {_ALIVE}
    UNION ALL
    SELECT '{_ROUTER}', coalesce(owner, {_NOBODY}) FROM (
        SELECT DISTINCT owner FROM inbox WHERE state = 'new'
    ) AS routers
    UNION ALL
    SELECT '{_WORKER}', coalesce(owner, {_NOBODY}) FROM (
        SELECT DISTINCT owner FROM turn WHERE state IN ('queued', 'running', 'resting')
        AND state = 'queued' AND origin IN ('task', 'hook', 'reflection')
    ) AS workers
    UNION ALL
    (
        SELECT '{_OWED}', chat FROM outbox WHERE state = 'owed'
        AND chat + {DELIVERIES} NOT IN (SELECT key FROM held)
        GROUP BY chat ORDER BY chat LIMIT {_MOST}
    )
    """
)
_WHO_LIVES = text(_HELD + _ALIVE)
_OF = bindparam("owners", expanding=True)
_TAKE_UPDATES = (
    update(inbox)
    .where(UNROUTED, or_(inbox.c.owner.in_(_OF), inbox.c.owner.is_(None)))
    .values(owner=ThisProcess())
)
_TAKE_RUNS = (
    update(turn)
    .where(
        AT_WORK,
        turn.c.state == TurnState.QUEUED,
        turn.c.origin.in_(_UNWATCHED),
        or_(turn.c.owner.in_(_OF), turn.c.owner.is_(None)),
    )
    .values(owner=ThisProcess())
    .returning(turn.c.id, turn.c.chat, turn.c.origin)
)
assert CHATS < PROCESSES < DELIVERIES


class SqlPeers:
    """The port `Peers`, on the connection that holds the locks of this process."""

    possible = True

    def __init__(self, locks: SessionLocks) -> None:
        self._locks = locks
        self._first = True
        self._dead: frozenset[int] = frozenset()
        self._unserved: frozenset[int] = frozenset()

    async def take_over(self) -> LeftBehind:
        found = await self._locks.ask(_seen)
        living, owed = found[_LIVING], found[_OWED]
        dead = (found[_ROUTER] | found[_WORKER]) - living - {self._locks.process}
        self._locks.see_others(living - {self._locks.process})
        gone = dead if self._first else (dead & self._dead) | (dead & {_NOBODY})
        chats = owed if self._first else owed & self._unserved
        self._first, self._dead, self._unserved = False, dead, owed
        routers = self._left_by(found[_ROUTER], gone, DOES_NOT_ROUTE)
        workers = self._left_by(found[_WORKER], gone, DOES_NOT_WORK)
        taken = LeftBehind()
        if routers or workers:
            taken = await self._locks.ask(lambda c: _taken(c, routers, workers))
        return LeftBehind(taken.updates, taken.runs, tuple(sorted(chats)))

    def _left_by(
        self, owners: Collection[int], gone: Collection[int], lacks: int
    ) -> Collection[int]:
        """Returns the owners whose rows are for this process: dead, or without the duty."""
        if self._locks.process & lacks:
            return ()
        return [one for one in owners if one in gone or one & lacks]

    async def take_delivery(self, chat: int) -> bool:
        return await self._locks.take(DELIVERIES + chat)

    def leave_delivery(self, chat: int) -> None:
        self._locks.leave(DELIVERIES + chat)


def living(connection: Connection) -> Collection[int]:
    """Returns the numbers of all processes that serve."""
    return [number for _, number in connection.execute(_WHO_LIVES)]


def _seen(connection: Connection) -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {k: set() for k in (_LIVING, _ROUTER, _WORKER, _OWED)}
    for kind, number in connection.execute(_LOOK):
        found[kind].add(number)
    return {kind: frozenset(numbers) for kind, numbers in found.items()}


def _taken(
    connection: Connection, routers: Collection[int], workers: Collection[int]
) -> LeftBehind:
    """Makes rows of other processes those of this one; of two that try, one gets each row."""
    updates, runs = 0, tuple[QueuedRun, ...]()
    if routers:
        updates = connection.execute(_TAKE_UPDATES, {"owners": [*routers]}).rowcount
    if workers:
        found = connection.execute(_TAKE_RUNS, {"owners": [*workers]})
        runs = tuple(QueuedRun(*row) for row in found)
    return LeftBehind(updates, runs)
