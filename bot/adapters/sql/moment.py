"""One moment of a database, for those who look through all of it beside a running program."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, make_url

from bot.adapters.sql.faults import translated
from bot.adapters.sql.sqlite import sqlite_engine
from bot.domain.talk.errors import SettingError

_BUSY_SECONDS = 10.0
_SNAPSHOT = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY"


def file_at(url: str) -> Path | None:
    """Returns the file of a SQLite database; None for a server."""
    parsed = make_url(url)
    return Path(parsed.database or "") if parsed.get_backend_name() == "sqlite" else None


def engine_to(url: str) -> Engine:
    """Returns the way to a database; raises SettingError where its kind is not known."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return sqlite_engine(parsed, _BUSY_SECONDS)
    if parsed.get_backend_name() == "postgresql":
        from bot.adapters.sql.postgres import postgres_engine

        return postgres_engine(parsed, _BUSY_SECONDS, 0)
    raise SettingError("the database must be a SQLite file or PostgreSQL")


@contextmanager
def moment_of(url: str) -> Iterator[Connection]:
    """Yields a connection that sees one moment of the data, and cannot change them.

    Nobody waits for it. Raises a StoreError; a missing file stays missing.
    """
    file = file_at(url)
    if file is not None and not file.is_file():
        raise SettingError(f"There is no database at {file}.")
    engine = engine_to(url)
    with translated(), engine.connect() as connection:
        if file is None:
            # The engine's own mode commits after each statement.
            connection.execution_options(isolation_level="REPEATABLE READ")
            connection.exec_driver_sql(_SNAPSHOT)
        else:
            connection.exec_driver_sql("PRAGMA query_only = ON")
            connection.exec_driver_sql("BEGIN")
            # The moment is that of the first look.
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar()
        yield connection


@contextmanager
def change_of(url: str) -> Iterator[Connection]:
    """Yields a connection in one transaction, which is committed when the block ends well."""
    engine = engine_to(url)
    with translated(), engine.connect() as connection:
        if file_at(url) is None:
            connection.execution_options(isolation_level="READ COMMITTED")
            with connection.begin():
                yield connection
            return
        connection.exec_driver_sql("PRAGMA synchronous = FULL")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
        driver: Any = connection.connection.driver_connection
        try:
            yield connection
            # It knows only of what went through it; the driver knows of all.
            connection.commit()
            driver.commit()
        except BaseException:
            connection.rollback()
            driver.rollback()
            raise
