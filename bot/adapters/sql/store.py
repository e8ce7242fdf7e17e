"""Opens the store: one value with every port on one database."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, delete, make_url
from sqlalchemy.exc import ArgumentError

from bot.adapters.sql import migrating
from bot.adapters.sql.approvals import SqlApprovals, SqlRules
from bot.adapters.sql.backlog import Queue, queues
from bot.adapters.sql.belongings import SqlBelongings
from bot.adapters.sql.chats import SqlChats
from bot.adapters.sql.consents import SqlConsents
from bot.adapters.sql.damage import Damage
from bot.adapters.sql.database import Database, Now, Work, wall_clock
from bot.adapters.sql.descriptions import SqlDescriptions
from bot.adapters.sql.errands import SqlErrands
from bot.adapters.sql.feedback import SqlFeedback
from bot.adapters.sql.file_changes import SqlFileChanges
from bot.adapters.sql.folder_places import SqlFolderPlaces
from bot.adapters.sql.goals import SqlGoals
from bot.adapters.sql.hook_calls import SqlHookCalls
from bot.adapters.sql.inbox import SqlInbox
from bot.adapters.sql.journal import SqlJournal
from bot.adapters.sql.ledger import SqlLedger
from bot.adapters.sql.meaning import SqlMeaningDebts, SqlMeant, SqlWeights
from bot.adapters.sql.members import SqlMembers
from bot.adapters.sql.memory import SqlMemory
from bot.adapters.sql.migrating import Before, inspect_only, migrate
from bot.adapters.sql.notes import SqlNotes
from bot.adapters.sql.outbox import SqlOutbox
from bot.adapters.sql.page_places import SqlPagePlaces
from bot.adapters.sql.page_rows import SqlPageRows
from bot.adapters.sql.patience import Patience, WatchedDatabase
from bot.adapters.sql.people import SqlDoor, SqlPeople
from bot.adapters.sql.plans import SqlPlans
from bot.adapters.sql.received import SqlReceived
from bot.adapters.sql.records import SqlRecords
from bot.adapters.sql.scheduled import SqlScheduled
from bot.adapters.sql.sessions import SqlSessions
from bot.adapters.sql.soundness import rows_read
from bot.adapters.sql.sqlite import SqliteDatabase, open_sqlite
from bot.adapters.sql.sqlite_words import SqliteEngine
from bot.adapters.sql.tables import pairing
from bot.adapters.sql.turns import SqlTurns
from bot.adapters.sql.upkeep import SqlUpkeep
from bot.adapters.sql.upsert import Upsert, overwrite
from bot.adapters.sql.voice import SqlVoice
from bot.adapters.sql.word_index import Engine, SqlWords
from bot.adapters.sql.written import Written
from bot.domain.talk.errors import SettingError, StoreUnwritable
from bot.domain.value import field, frozen, replace
from bot.ports.bell import Bell, NoBell, OwnPosts, Posts
from bot.ports.duties import EVERY_DUTY, Duty
from bot.ports.lanes import OwnedChats
from bot.ports.peers import NoPeers, Peers

if TYPE_CHECKING:
    from bot.adapters.sql.postgres import PostgresDatabase


@frozen
class Store:
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
    received: SqlReceived
    memory: SqlMemory
    words: SqlWords
    meant: SqlMeant
    meaning_debts: SqlMeaningDebts
    weights: SqlWeights
    descriptions: SqlDescriptions
    notes: SqlNotes
    belongings: SqlBelongings
    turns: SqlTurns
    voice: SqlVoice
    errands: SqlErrands
    scheduled: SqlScheduled
    goals: SqlGoals
    hook_calls: SqlHookCalls
    file_changes: SqlFileChanges
    folders: SqlFolderPlaces
    feedback: SqlFeedback
    records: SqlRecords
    sessions: SqlSessions
    page: SqlPageRows
    page_places: SqlPagePlaces
    upkeep: SqlUpkeep
    check_writable: Callable[[], Awaitable[None]]
    """Writes rows for real and removes them; raises a StoreError when that fails."""
    check_readable: Callable[[float], Awaitable[bool]]
    """Reads every row, for so many seconds; False if they were too few, StoreDamaged for damage."""
    queues: Callable[[], Awaitable[Sequence[Queue]]]
    """Returns the work that waits."""
    works: Callable[[], bool]
    """Tells if nobody waits for the database to work again, as on a full disk."""
    unwritable: Callable[[], Awaitable[StoreUnwritable]]
    """Waits until nothing can be written for a moment, as on a full disk; returns the fault."""
    damage: Damage
    """The first damage that anybody met."""
    written: Written
    """Tells of changes that this process makes."""
    owned_chats: OwnedChats | None = None
    """The chats that this process holds; None where one process alone can use the database."""
    peers: Peers = field(default_factory=NoPeers)
    """Other processes on the same database."""
    bell: Bell = field(default_factory=NoBell)
    """Rings the other processes, and hears them."""
    posts: Posts = field(default_factory=OwnPosts)
    """The posts of which each has one process at a time."""


@frozen
class ServingProcess:
    """A process that serves, and not one that looks on: alone with a file, or beside others."""

    patience: Patience | None = None
    """Waits without end for a server that is away, or for a disk that is full later on."""
    before: Before | None = None
    """Called with the revision of an older database before it is upgraded."""
    duties: Collection[Duty] = EVERY_DUTY


_LOOKS_ON = ServingProcess()


@asynccontextmanager
async def open_store(
    url: str,
    *,
    busy_seconds: float = 5.0,
    now: Now = wall_clock,
    upgrade: bool = True,
    serving: ServingProcess | None = None,
) -> AsyncIterator[Store]:
    """Opens the database at a URL (`sqlite:///file` or `postgresql://…`); migrates it when due.

    When it is `serving` no other process may serve with the same file: SettingError. Without
    `upgrade` an older database stays as it is, and StoreTooOld is raised. Waits for a lock up to
    `busy_seconds`. Raises SettingError for any other URL, and a StoreError when the database cannot
    be used.
    """
    by = serving or _LOOKS_ON
    prepare = partial(migrate, before=by.before) if upgrade else inspect_only
    parsed = _parsed(url)
    damage = Damage(_file_of(parsed))
    async with (
        _opened(parsed, busy_seconds, prepare, by, alone=serving is not None) as database,
        AsyncExitStack() as stack,
    ):
        written = Written()
        watched = WatchedDatabase(database, by.patience, damage.found, written.tell)
        # A damaged index is made anew, so its damage is told by the index itself.
        words = SqlWords(WatchedDatabase(database, by.patience), _engine(parsed), damage.found)
        store = _store(watched, words, damage, now, written)
        if (patience := by.patience) is not None:
            store = replace(store, works=lambda: patience.works, unwritable=patience.unwritable)
        if not isinstance(database, SqliteDatabase):
            bells = None if serving is None else stack
            store = await _shared(store, database, by.patience, bells)
        yield store


def _works() -> bool:
    return True


async def _never() -> StoreUnwritable:
    return await asyncio.Future()


def _store(
    database: Database, words: SqlWords, damage: Damage, now: Now, written: Written
) -> Store:
    return Store(
        inbox=SqlInbox(database),
        journal=SqlJournal(database, now, written),
        chats=SqlChats(database, now),
        people=SqlPeople(database),
        door=SqlDoor(database),
        members=SqlMembers(database),
        approvals=SqlApprovals(database),
        rules=SqlRules(database),
        plans=SqlPlans(database),
        outbox=SqlOutbox(database, written),
        ledger=SqlLedger(database),
        consents=SqlConsents(database),
        received=SqlReceived(database),
        memory=SqlMemory(database),
        notes=SqlNotes(database),
        belongings=SqlBelongings(database),
        words=words,
        meant=SqlMeant(database),
        meaning_debts=SqlMeaningDebts(database),
        weights=SqlWeights(database),
        descriptions=SqlDescriptions(database),
        turns=SqlTurns(database),
        voice=SqlVoice(database),
        errands=SqlErrands(database),
        scheduled=SqlScheduled(database),
        goals=SqlGoals(database),
        hook_calls=SqlHookCalls(database),
        file_changes=SqlFileChanges(database),
        folders=SqlFolderPlaces(database),
        feedback=SqlFeedback(database),
        records=SqlRecords(database),
        sessions=SqlSessions(database),
        page=SqlPageRows(database),
        page_places=SqlPagePlaces(database),
        upkeep=SqlUpkeep(database, damage.file),
        check_writable=partial(try_writing, database),
        check_readable=partial(rows_read, database),
        queues=partial(queues, database),
        works=_works,
        unwritable=_never,
        damage=damage,
        written=written,
    )


def _file_of(url: URL) -> Path | None:
    named = url.get_backend_name() == "sqlite" and url.database
    return Path(named) if named else None


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError:
        raise SettingError("the database URL cannot be read") from None


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        return SqliteEngine()
    from bot.adapters.sql.postgres_words import PostgresEngine

    return PostgresEngine()


async def _shared(
    store: Store,
    database: "PostgresDatabase",
    patience: Patience | None,
    bells: AsyncExitStack | None,
) -> Store:
    """Returns the store with what processes share; one with `bells` is known from here on."""
    from bot.adapters.sql.bell import SqlBell
    from bot.adapters.sql.owned_chats import SqlOwnedChats
    from bot.adapters.sql.page_rings import PageRings
    from bot.adapters.sql.peers import SqlPeers
    from bot.adapters.sql.session_locks import SessionLocks

    locks = SessionLocks(database, patience)
    store = replace(store, owned_chats=SqlOwnedChats(locks), peers=SqlPeers(locks))
    if bells is None:
        return store
    # From now on others know of this process. An upgrade just before did not spare it.
    await locks.ask(inspect_only)
    bell = await bells.enter_async_context(SqlBell(database))
    # What another process rings for may stand on an open page.
    bell.hear(lambda _peal, _chat: store.written.tell())
    rings = PageRings(bell)
    bell.hear(rings.hear)
    store.written.listen(rings.committed, rings.delivered)
    return replace(store, bell=bell, posts=bell)


def _opened(
    url: URL, busy_seconds: float, prepare: Work[None], by: ServingProcess, *, alone: bool
) -> "AbstractAsyncContextManager[SqliteDatabase | PostgresDatabase]":
    backend = url.get_backend_name()
    if backend == "sqlite" and url.database not in (None, "", ":memory:"):
        return open_sqlite(url, busy_seconds, prepare, alone=alone)
    if backend == "postgresql":
        from bot.adapters.sql.postgres import open_postgres

        known = migrating.REVISIONS[-1]
        return open_postgres(url, busy_seconds, prepare, by.patience, by.duties, known)
    raise SettingError("the database must be a SQLite file or PostgreSQL")


_NUMBER = -1
_BYTES = 65_536
"""Enough that the database needs new pages, which a full disk does not give."""

_PUT = Upsert(pairing, ["id"], overwrite("code_hash", "expires_at"))
_TAKE_AWAY = delete(pairing).where(pairing.c.id == _NUMBER)


async def try_writing(database: Database) -> None:
    """Raises a StoreError when rows cannot be written; leaves none.

    The row stands for no pairing code: it has expired, and nobody knows words with its hash.
    """
    await database.write(_put, repeatable=True)
    await database.write(_take_away, repeatable=True)


def _put(connection: Connection) -> None:
    words = secrets.token_hex(_BYTES // 2)
    row = {"id": _NUMBER, "code_hash": words, "expires_at": datetime(1970, 1, 1, tzinfo=UTC)}
    _PUT.run(connection, row)


def _take_away(connection: Connection) -> None:
    connection.execute(_TAKE_AWAY)
