"""The newest backup that a running program made, as the record knows it."""

from datetime import datetime

from sqlalchemy import select

from bot.adapters.sql.moment import moment_of
from bot.adapters.sql.tables import audit
from bot.domain.value import frozen

BACKUP_MADE = "backup.made"
"""The action of the record's line about a backup that made itself."""

_NEWEST = (
    select(audit.c.at, audit.c.details)
    .where(audit.c.action == BACKUP_MADE)
    .order_by(audit.c.id.desc())
    .limit(1)
)


@frozen
class NotedBackup:
    """A backup of one of the processes that share a database."""

    at: datetime
    home: str
    machine: str


def noted_backup(url: str) -> NotedBackup | None:
    """Returns the newest backup on record; raises a StoreError."""
    with moment_of(url) as connection:
        row = connection.execute(_NEWEST).first()
    return None if row is None else NotedBackup(row.at, row.details["home"], row.details["machine"])
