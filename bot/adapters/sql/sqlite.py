"""SQLite: one process for a database file, one writer and one reader, each on its own thread.

A transaction goes to its thread once. The async driver goes there several times for each
statement, which costs four times as much processor time for a typical change.
"""

import asyncio
import fcntl
import os
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Executable, NullPool, create_engine, event

from bot.adapters.sql.database import Work
from bot.adapters.sql.faults import translated
from bot.adapters.sql.own_thread import OwnThread
from bot.adapters.sql.prepared import Prepared, Values, fetched
from bot.adapters.to_its_end import to_its_end
from bot.domain.talk.errors import SettingError

T = TypeVar("T")
_PAUSE_SECONDS = 0.02


class _Line:
    """A connection and its thread; it does work in the order of arrival."""

    def __init__(self, engine: Engine, name: str, begin: str) -> None:
        self._engine = engine
        self._begin = begin
        self._thread = OwnThread(f"store-{name}")
        self._connection: Connection | None = None
        self._durable = False

    async def open(self) -> None:
        await self.run(self._connect)

    async def close(self) -> None:
        await self.run(self._disconnect)
        self._thread.end()

    def run(self, job: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        return self._thread.run(job, *args)

    def transact(self, work: Work[T], durable: bool) -> T:
        """Runs a transaction; called on the line's own thread."""
        connection = self._opened()
        with translated():
            if durable is not self._durable:
                self._synchronise(connection, durable)
            driver = _driver(connection)
            driver.execute(self._begin)
            try:
                done = work(connection)
                # It knows only of what went through it; the driver knows of all.
                connection.commit()
                driver.commit()
            except BaseException:
                connection.rollback()
                driver.rollback()
                raise
            return done

    def path(self) -> Path:
        """Returns the file that SQLite itself has found; called on the line's own thread."""
        connection = self._opened()
        return Path(_driver(connection).execute("PRAGMA database_list").fetchone()[2])

    def _opened(self) -> Connection:
        if self._connection is None:
            raise RuntimeError("the store is not open")
        return self._connection

    def _connect(self) -> None:
        with translated():
            self._connection = self._engine.connect()

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _synchronise(self, connection: Connection, durable: bool) -> None:
        """Sets the durability; SQLite accepts this pragma only between transactions."""
        _driver(connection).execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
        self._durable = durable


class SqliteDatabase:
    """A database file; writers never wait for readers, nor readers for writers."""

    def __init__(self, writer: _Line, reader: _Line) -> None:
        self._writer = writer
        self._reader = reader

    async def fetch(
        self, statement: Executable | Prepared, values: Values | None = None
    ) -> Sequence[Any]:
        return await self.read(partial(fetched, statement=statement, values=values))

    async def read(self, work: Work[T]) -> T:
        return await self._reader.run(self._reader.transact, work, False)

    async def write(self, work: Work[T], *, durable: bool = False, repeatable: bool = False) -> T:
        return await to_its_end(self._writer.run(self._writer.transact, work, durable))

    async def hold(self, key: int) -> bool:
        """Returns True: one process at a time serves the folder of a file."""
        return True


@asynccontextmanager
async def open_sqlite(
    url: URL, busy_seconds: float, prepare: Work[None], *, alone: bool
) -> AsyncIterator[SqliteDatabase]:
    """Opens the file, creates a missing one, and prepares it; raises a StoreError.

    With `alone` it raises SettingError when another process has opened the same file alone.
    """
    engine = sqlite_engine(url, busy_seconds)
    writer = _Line(engine, "writer", "BEGIN IMMEDIATE")
    reader = _Line(engine, "reader", "BEGIN")
    database = SqliteDatabase(writer, reader)
    lock = OwnFile()
    try:
        await writer.open()
        if alone:
            lock.take(await writer.run(writer.path))
        await database.write(prepare, durable=True)
        await reader.open()
        yield database
    finally:
        await reader.close()
        await writer.close()
        lock.close()


def sqlite_engine(url: URL, busy_seconds: float) -> Engine:
    """Returns the way to the file, whose transactions are begun by hand."""
    engine = create_engine(
        url.set(drivername="sqlite"),
        poolclass=NullPool,
        hide_parameters=True,
        connect_args={"timeout": busy_seconds, "check_same_thread": False},
    )

    def configure(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        _write_ahead(connection, busy_seconds)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")

    event.listen(engine, "connect", configure)
    return engine


def _write_ahead(connection: Any, busy_seconds: float) -> None:
    """Sets the journal mode and waits for a lock, as SQLite does not wait for this change."""
    until = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(_PAUSE_SECONDS)


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


class OwnFile:
    """Holds a file for this process; the system frees it when the process dies.

    The file itself is locked, so links to it and other paths to it are the same. SQLite's own locks
    are of another kind. They end when the process closes any descriptor of the file, so this one
    is closed after all connections.
    """

    def __init__(self) -> None:
        self._descriptor: int | None = None

    def take(self, file: Path) -> None:
        """Raises SettingError when another process holds the file, or when it cannot be locked."""
        try:
            self._descriptor = os.open(file, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            told = f"Another Steward, with another STEWARD_HOME, works with the database {file}."
            mend = "Stop that one, or give each a database of its own: STEWARD_DATABASE_URL."
            raise SettingError(f"{told} {mend}") from None
        except OSError as error:
            raise SettingError(f"{file} cannot be locked: {error.strerror}.") from error

    def close(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
