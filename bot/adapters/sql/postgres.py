"""PostgreSQL: a few threads, each of which carries out one transaction at a time.

A transaction goes to its thread once, as on SQLite: the async driver goes through the event loop
for each statement, which costs twice the processor time.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from operator import methodcaller
from typing import Any, TypeVar

from sqlalchemy import URL, Connection, Engine, Executable, NullPool, create_engine, event, text
from sqlalchemy.exc import DBAPIError

from bot.adapters.sql.database import Work
from bot.adapters.sql.faults import committing, translated
from bot.adapters.sql.patience import Patience
from bot.adapters.sql.postgres_lines import Line, Lines
from bot.adapters.sql.prepared import Prepared, Values, fetched
from bot.adapters.sql.this_process import DOES_NOT_ROUTE, DOES_NOT_WORK, FIRST, SETTING, draw_number
from bot.adapters.to_its_end import to_its_end
from bot.domain.talk.errors import DriverMissing
from bot.ports.duties import EVERY_DUTY, Duty
from bot.shipped import installs

T = TypeVar("T")
_MIGRATION_LOCK = 7_391_204_518
_TRY = text("SELECT pg_try_advisory_lock(:key)")

_IS_HELD = text(
    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
    " AND ((CAST(classid AS bigint) << 32) | CAST(objid AS bigint)) = :key"
    " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""Spares a line of its own for a lock that another process has."""

_SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_CHANGE = "BEGIN"

_READ_ONLY = "25006"
_MOST_LINES = 8
_MOST_PREPARED = 500
"""Statements that the server keeps prepared for a line; the program has fewer."""

_SILENCE = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""When a silent server counts as gone: after 10 s of connecting, or 25 s of work."""

_ENDING_SECONDS = 2.0
"""Seconds that running work has when the database is closed."""


class PostgresDatabase:
    """A database where reads see one snapshot, and writers of one chat wait at the chat's row."""

    def __init__(self, engine: Engine, process: int) -> None:
        self.process = process
        """The number of this process; rows carry it, so that others know whose they are."""
        self._lines = Lines(engine)
        self._threads = ThreadPoolExecutor(_MOST_LINES, "store")
        self._held: dict[int, Line] = {}
        self._holding = asyncio.Lock()
        self._apart: Line | None = None

    async def fetch(
        self, statement: Executable | Prepared, values: Values | None = None
    ) -> Sequence[Any]:
        return await self._run(self._fetch, statement, values)

    async def read(self, work: Work[T]) -> T:
        return await self._run(self._transact, work, _SNAPSHOT)

    async def write(self, work: Work[T], *, durable: bool = False, repeatable: bool = False) -> T:
        return await to_its_end(self._run(self._transact, work, _CHANGE))

    async def hold(self, key: int) -> bool:
        """Holds the key by a line of its own: the server frees it with the line."""
        async with self._holding:
            return await self._run(self._hold, key)

    async def apart(self, begin: Work[None], work: Work[T]) -> T:
        """Runs work on a line of its own, whose locks live as long as it; one at a time.

        A line that fails is ended, and `begin` runs first on the next one.
        """
        return await to_its_end(self._run(self._run_apart, begin, work))

    def open_line(self) -> Line:
        """Opens a line that belongs to the caller, in the caller's thread."""
        with translated():
            return self._lines.open()

    async def close(self) -> None:
        """Waits for running work for a while, and frees what is held."""
        ended = asyncio.ensure_future(asyncio.to_thread(self._threads.shutdown))
        await asyncio.wait([ended], timeout=_ENDING_SECONDS)
        self._lines.end()
        await ended
        self._lines.end()
        for line in self._held.values():
            line.end()
        self._held.clear()
        if self._apart is not None:
            self._apart.end()

    def _run(self, job: Callable[..., T], *args: Any) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, job, *args)

    def _fetch(self, statement: Executable | Prepared, values: Values | None) -> Sequence[Any]:
        def asked(line: Line) -> Sequence[Any]:
            with line.connection.begin():
                return fetched(line.connection, statement, values)

        with translated(), self._lines.one(asked) as (_, rows):
            return rows

    def _transact(self, work: Work[T], begin: str) -> T:
        first = methodcaller("begin", begin)
        with (
            translated(),
            self._lines.one(first) as (line, _),
            line.connection.begin() as transaction,
        ):
            try:
                done = work(line.connection)
            except DBAPIError as error:
                self._leave_standby(error, line)
                raise
            with committing():
                transaction.commit()
            return done

    def _leave_standby(self, error: DBAPIError, line: Line) -> None:
        """Ends the lines to a server that takes no writes: another one may do so by now."""
        if getattr(error.orig, "sqlstate", None) == _READ_ONLY:
            line.cut()
            self._lines.end_waiting()

    def _run_apart(self, begin: Work[None], work: Work[T]) -> T:
        line, self._apart = self._apart, None
        with translated():
            try:
                if line is None or line.lost:
                    line = self._lines.open()
                    begin(line.connection)
                done = work(line.connection)
                line.connection.commit()
            except BaseException:
                if line is not None:
                    line.end()
                raise
        self._apart = line
        return done

    def _hold(self, key: int) -> bool:
        held = self._held.pop(key, None)
        if held is not None and _lives(held):
            self._held[key] = held
            return True
        if self._fetch(_IS_HELD, {"key": key}):
            return False
        with translated():
            line = self._lines.open()
            if line.connection.execute(_TRY, {"key": key}).scalar_one():
                line.connection.commit()
                self._held[key] = line
                return True
        line.end()
        return False


def _lives(line: Line) -> bool:
    """Returns True when the server still knows the line."""
    try:
        with line.connection.begin():
            line.connection.exec_driver_sql("SELECT 1")
    except DBAPIError:
        line.end()
        return False
    return True


@asynccontextmanager
async def open_postgres(
    url: URL,
    busy_seconds: float,
    prepare: Work[None],
    patience: Patience | None = None,
    duties: Collection[Duty] = EVERY_DUTY,
    knows: str = FIRST,
) -> AsyncIterator[PostgresDatabase]:
    """Connects and prepares the database; raises DriverMissing or a StoreError.

    With `patience` it waits for a server that is not up yet. Others can see which revision this
    process `knows`.
    """
    process = _number(duties, knows)
    database = PostgresDatabase(postgres_engine(url, busy_seconds, process), process)
    try:

        async def prepared() -> None:
            await database.write(partial(_alone, prepare), durable=True)

        await (prepared() if patience is None else patience.through(prepared, writes=True))
        yield database
    finally:
        await database.close()


def _number(duties: Collection[Duty], knows: str) -> int:
    """Returns a number of a process, which tells others what it leaves to them."""
    number = draw_number(knows)
    if not {Duty.RECEIVE, Duty.WEB} & {*duties}:
        number |= DOES_NOT_ROUTE
    return number if Duty.WORK in duties else number | DOES_NOT_WORK


def postgres_engine(url: URL, busy_seconds: float, process: int) -> Engine:
    """Returns the way to the server; raises DriverMissing."""
    wishes = url.query.get("options", "")
    limit = f"-c lock_timeout={int(busy_seconds * 1000)}"
    options = f"{wishes} {limit} -c {SETTING}={process}".strip()
    silence = {name: limit for name, limit in _SILENCE.items() if name not in url.query}
    try:
        engine = create_engine(
            url.set(drivername="postgresql+psycopg"),
            poolclass=NullPool,
            hide_parameters=True,
            # A single statement then needs no words before and after it.
            isolation_level="AUTOCOMMIT",
            connect_args={"options": options, **silence},
        )
    except ModuleNotFoundError:
        raise DriverMissing("PostgreSQL", installs("postgres")) from None
    event.listen(engine, "connect", _prepare_many)
    return engine


def _prepare_many(driver: Any, _record: object) -> None:
    driver.prepared_max = _MOST_PREPARED


def _alone(prepare: Work[None], connection: Connection) -> None:
    """Lets one worker prepare at a time: several may start at once, and the first migrates."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
    prepare(connection)
