"""Owns chats by locks of a PostgreSQL session, and looks for chats with work."""

from sqlalchemy import Connection, text

from bot.adapters.sql.session_locks import CHATS, SessionLocks
from bot.ports.lanes import ChatWithWork, Look

_MOST = 500
"""Chats that one look returns."""

# Runs of tasks and calls of hooks that have not begun stand in the line of the process that wrote
# them: it lets a few begin at once.
# A chat of another process is left out. It is news once that process has left it, or has died.
_WITH_WORK = text(
    f"""
    WITH others AS MATERIALIZED (
        SELECT ((CAST(classid AS bigint) << 32) | CAST(objid AS bigint)) - {CHATS} AS chat
        FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted
        AND pid <> pg_backend_pid() AND database = (
            SELECT oid FROM pg_database WHERE datname = current_database()
        )
    )
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
    WHERE chat > :after AND chat NOT IN (SELECT chat FROM others)
    GROUP BY chat ORDER BY chat LIMIT :most
    """
)


class SqlOwnedChats:
    """The port `OwnedChats`.

    What was written while a chat was robbed is right in any case: each write checks the fence of
    its chat.
    """

    def __init__(self, locks: SessionLocks) -> None:
        self._locks = locks

    async def take(self, chat: int) -> bool:
        return await self._locks.take(CHATS + chat)

    def leave(self, chat: int) -> None:
        self._locks.leave(CHATS + chat)

    async def free(self) -> None:
        await self._locks.free()

    async def look(self, after: int) -> Look:
        found = await self._locks.ask(lambda connection: _found(connection, after))
        up_to = found[-1].chat if len(found) == _MOST else None
        return Look(found, up_to, self._locks.robbed(CHATS))


def _found(connection: Connection, after: int) -> list[ChatWithWork]:
    rows = connection.execute(_WITH_WORK, {"after": after, "most": _MOST})
    return [ChatWithWork(chat, mark, frozenset(stopped)) for chat, mark, stopped in rows]
