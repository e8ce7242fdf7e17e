"""PostgreSQL: a pool of connections; the server's settings decide how durable a commit is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TypeVar

from sqlalchemy import URL, Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from bot.adapters.sql.database import Work, decided
from bot.adapters.sql.faults import committing, translated
from bot.adapters.sql.patience import Patience
from bot.domain.errors import DriverMissing
from bot.shipped import in_checkout

T = TypeVar("T")
_MIGRATION_LOCK = 7_391_204_518
_READ_ONLY = "25006"
_TIME_LIMITS = {
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""Limits in seconds (the last one in milliseconds) after which a silent server counts as gone."""

_TRY = text("SELECT pg_try_advisory_lock(:key)")


class PostgresDatabase:
    """A database where reads see one snapshot, and writers of one chat wait at the chat's row."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._writers = engine
        self._readers = engine.execution_options(isolation_level="REPEATABLE READ")
        self._holders = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._held: dict[int, AsyncConnection] = {}
        self._holding = asyncio.Lock()

    async def read(self, work: Work[T]) -> T:
        with translated():
            async with self._readers.connect() as connection:
                return await connection.run_sync(work)

    async def write(self, work: Work[T], *, durable: bool = False, repeatable: bool = False) -> T:
        return await decided(asyncio.ensure_future(self._transact(work)))

    async def hold(self, key: int) -> bool:
        """Holds the key by a connection of its own: the server frees it with the connection."""
        async with self._holding:
            with translated():
                held = self._held.get(key)
                if held is not None and await _lives(held):
                    return True
                self._held.pop(key, None)
                connection = await self._holders.connect()
                if (await connection.execute(_TRY, {"key": key})).scalar_one():
                    self._held[key] = connection
                    return True
                await connection.close()
                return False

    async def close(self) -> None:
        """Frees what is held."""
        for connection in self._held.values():
            # The connection goes, and is not handed to somebody else with the key.
            with suppress(DBAPIError):
                await connection.invalidate()
        self._held.clear()
        await self._writers.dispose()

    async def _transact(self, work: Work[T]) -> T:
        with translated():
            async with self._writers.connect() as connection:
                try:
                    done = await connection.run_sync(work)
                except DBAPIError as error:
                    await self._leave_standby(error, connection)
                    raise
                with committing():
                    await connection.commit()
                return done

    async def _leave_standby(self, error: DBAPIError, connection: AsyncConnection) -> None:
        """Closes all connections to a server that takes no writes: another one may do so now."""
        if getattr(error.orig, "sqlstate", None) == _READ_ONLY:
            await connection.invalidate()
            await self._writers.dispose()


async def _lives(connection: AsyncConnection) -> bool:
    """Returns True when the server still knows the connection."""
    try:
        await connection.execute(text("SELECT 1"))
    except DBAPIError:
        await connection.invalidate()
        return False
    return True


@asynccontextmanager
async def open_postgres(
    url: URL, busy_seconds: float, prepare: Work[None], patience: Patience | None = None
) -> AsyncIterator[PostgresDatabase]:
    """Connects and prepares the database; raises DriverMissing or a StoreError.

    With `patience` it waits for a server that is not up yet.
    """
    wishes = url.query.get("options", "")
    options = f"{wishes} -c lock_timeout={int(busy_seconds * 1000)}".strip()
    engine = _engine(url, options)
    database = PostgresDatabase(engine)
    try:

        async def prepared() -> None:
            await database.write(partial(_alone, prepare))

        await (prepared() if patience is None else patience.through(prepared, writes=True))
        yield database
    finally:
        await database.close()


def _engine(url: URL, options: str) -> AsyncEngine:
    try:
        return create_async_engine(
            url.set(drivername="postgresql+psycopg"),
            hide_parameters=True,
            pool_size=10,
            connect_args={
                "options": options,
                **{name: limit for name, limit in _TIME_LIMITS.items() if name not in url.query},
            },
        )
    except ModuleNotFoundError:
        install = "make postgres" if in_checkout() else "pip install steward[postgres]"
        raise DriverMissing("PostgreSQL", install) from None


def _alone(prepare: Work[None], connection: Connection) -> None:
    """Lets one worker prepare at a time: several may start at once, and the first migrates."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    prepare(connection)
