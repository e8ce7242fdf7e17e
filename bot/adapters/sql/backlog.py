"""The work that waits in the store, counted by small indexes: it costs the same at any size."""

from datetime import datetime

from sqlalchemy import Connection, Executable, func, select

from bot.adapters.sql.database import Database
from bot.adapters.sql.tables import (
    AT_WORK,
    OPEN,
    OWED,
    UNINDEXED,
    UNROUTED,
    WAITING,
    approval,
    inbox,
    outbox,
    passage,
    turn,
)
from bot.domain.value import frozen


@frozen
class Queue:
    """The number of things that wait, and the time of the oldest one."""

    name: str
    waiting: int
    oldest: datetime | None


_QUEUES: dict[str, Executable] = {
    "new_messages": select(func.count(), func.min(inbox.c.received_at)).where(UNROUTED),
    "waiting_messages": select(func.count(), func.min(inbox.c.received_at)).where(WAITING),
    "turns": select(func.count(), func.min(turn.c.created_at)).where(AT_WORK),
    "cards": select(func.count(), func.min(approval.c.created_at)).where(OPEN),
    "deliveries": select(func.count(), func.min(outbox.c.created_at)).where(OWED),
}
_UNINDEXED = select(func.count()).select_from(passage).where(UNINDEXED)


async def queues(database: Database) -> list[Queue]:
    """Returns what waits: messages, turns under way, open cards, deliveries, answers to index."""
    return await database.read(_queues)


def _queues(connection: Connection) -> list[Queue]:
    found = [Queue(name, *connection.execute(look).one()) for name, look in _QUEUES.items()]
    unindexed = connection.execute(_UNINDEXED).scalar_one()
    return [*found, Queue("unindexed_answers", unindexed, None)]
