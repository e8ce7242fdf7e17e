"""Opens the store: one value with every port on one database."""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from bot.adapters.sql.approvals import SqlApprovals, SqlRules
from bot.adapters.sql.chats import SqlChats
from bot.adapters.sql.consents import SqlConsents
from bot.adapters.sql.database import Database, Now, Work, wall_clock
from bot.adapters.sql.inbox import SqlInbox
from bot.adapters.sql.journal import SqlJournal
from bot.adapters.sql.ledger import SqlLedger
from bot.adapters.sql.members import SqlMembers
from bot.adapters.sql.migrating import inspect_only, migrate
from bot.adapters.sql.outbox import SqlOutbox
from bot.adapters.sql.people import SqlDoor, SqlPeople
from bot.adapters.sql.plans import SqlPlans
from bot.adapters.sql.sqlite import open_sqlite
from bot.domain.errors import SettingError


@dataclass(frozen=True, slots=True)
class Store:
    """All ports of the store, on one database."""

    inbox: SqlInbox
    journal: SqlJournal
    chats: SqlChats
    people: SqlPeople
    door: SqlDoor
    members: SqlMembers
    approvals: SqlApprovals
    rules: SqlRules
    plans: SqlPlans
    outbox: SqlOutbox
    ledger: SqlLedger
    consents: SqlConsents


@asynccontextmanager
async def open_store(
    url: str, *, busy_seconds: float = 5.0, now: Now = wall_clock, upgrade: bool = True
) -> AsyncIterator[Store]:
    """Opens the database at a URL (`sqlite:///file` or `postgresql://…`); migrates it when due.

    Without `upgrade` an older database stays as it is, and StoreTooOld is raised. Waits for a lock
    up to `busy_seconds`. Raises SettingError for any other URL, and a StoreError when the database
    cannot be used.
    """
    prepare = migrate if upgrade else inspect_only
    async with _opened(_parsed(url), busy_seconds, prepare) as database:
        yield Store(
            inbox=SqlInbox(database),
            journal=SqlJournal(database, now),
            chats=SqlChats(database, now),
            people=SqlPeople(database),
            door=SqlDoor(database),
            members=SqlMembers(database),
            approvals=SqlApprovals(database),
            rules=SqlRules(database),
            plans=SqlPlans(database),
            outbox=SqlOutbox(database),
            ledger=SqlLedger(database),
            consents=SqlConsents(database),
        )


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError:
        raise SettingError("the database URL cannot be read") from None


def _opened(
    url: URL, busy_seconds: float, prepare: Work[None]
) -> AbstractAsyncContextManager[Database]:
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database not in (None, "", ":memory:"):
        return open_sqlite(url, busy_seconds, prepare)
    if backend == "postgresql":
        from bot.adapters.sql.postgres import open_postgres  # noqa: PLC0415

        return open_postgres(url, busy_seconds, prepare)
    raise SettingError("the database must be a SQLite file or PostgreSQL")
