"""Copies a database into a SQLite file, whatever it is kept in, while programs write to it."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection

from bot.adapters.sql.carrying import Heard, carry, clear, counted
from bot.adapters.sql.faults import translated
from bot.adapters.sql.migrating import revision_of, upgrade
from bot.adapters.sql.moment import change_of, file_at, moment_of
from bot.domain.talk.errors import StoreDamaged, StoreTooOld
from bot.domain.value import frozen

_PAGES = 2_000
"""Pages that are copied between two looks at a Ctrl-C."""

_SIZE = (
    "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r'"
    " AND relnamespace = current_schema()::regnamespace"
)


@frozen
class Snapshot:
    """The content of a copy: its revision, the kind of database it came from, its rows."""

    revision: str
    database: str
    counts: dict[str, int]


def size_of(url: str) -> int:
    """Returns about how many bytes a copy takes."""
    with moment_of(url) as connection:
        if file_at(url) is None:
            return int(connection.exec_driver_sql(_SIZE).scalar() or 0)
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        return pages * connection.exec_driver_sql("PRAGMA page_size").scalar_one()


def take(url: str, file: Path, heard: Heard = lambda *_: None) -> Snapshot:
    """Copies one moment of a database into a new file, and reads the copy through.

    Raises a StoreError; StoreDamaged when the copy is not sound.
    """
    os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with moment_of(url) as source:
        revision = revision_of(source)
        if revision is None:
            raise StoreTooOld("it is empty")
        if file_at(url) is None:
            _carry_over(source, file, revision, heard)
        else:
            _copy_pages(source, file)
        kind = source.dialect.name
    _check(file)
    with moment_of(f"sqlite:///{file}") as copy:
        return Snapshot(revision, kind, counted(copy))


def replace_all(source: Connection, target: Connection, heard: Heard = lambda *_: None) -> None:
    """Puts the rows of one database in the place of another one's, at the same revision."""
    revision = revision_of(source)
    if revision is None:
        raise StoreTooOld("it is empty")
    clear(target)
    upgrade(target, revision)
    carry(source, target, heard)


def begin_anew(connection: Connection) -> None:
    """Owes all answers to an index of words, and rows to nobody: these stay behind at a move."""
    connection.exec_driver_sql("UPDATE passage SET indexed = false")
    for table, column in (("turn", "owner"), ("inbox", "owner"), ("outbox", "maker")):
        connection.exec_driver_sql(f"UPDATE {table} SET {column} = NULL")


def _carry_over(source: Connection, file: Path, revision: str, heard: Heard) -> None:
    with change_of(f"sqlite:///{file}") as target:
        upgrade(target, revision)
        carry(source, target, heard)
        # No index of words comes along: each database makes its own.
        target.exec_driver_sql("UPDATE passage SET indexed = 0")


def _copy_pages(source: Connection, file: Path) -> None:
    """Copies the pages of the moment that the source holds: no commit makes it begin again."""
    driver = source.connection.driver_connection
    assert isinstance(driver, sqlite3.Connection)
    with translated(), closing(sqlite3.connect(file)) as target:
        target.execute("PRAGMA synchronous = OFF")
        driver.backup(target, pages=_PAGES, sleep=0)


def _check(file: Path) -> None:
    """Reads every page, and leaves one file without a log beside it."""
    with translated(), closing(sqlite3.connect(file, isolation_level=None)) as copy:
        copy.execute("PRAGMA journal_mode = DELETE")
        (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise StoreDamaged(" ".join(str(found).split()))
