"""Looks through the pages of a SQLite file, as far as the time suffices."""

import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Timer

from sqlalchemy import Connection, Table, select

from bot.adapters.sql.database import Database
from bot.adapters.sql.faults import translated
from bot.adapters.sql.tables import METADATA
from bot.domain.talk.errors import StoreDamaged
from bot.domain.value import frozen

_TABLES = (
    "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
    " AND name NOT LIKE 'passage_words%' ORDER BY name"
)
"""The index of words has a check of its own: it can be made anew."""


@frozen
class Soundness:
    """The faults in the pages of a database, and how much of it was read."""

    faults: Sequence[str]
    """A line for each damaged table, with the first fault in it or in one of its indexes."""
    tables: int
    unread: int
    """Tables that the time did not suffice for."""


def looked_through(file: Path, seconds: float) -> Soundness:
    """Reads every page of one table after another; raises a StoreError for an unreadable file.

    Nobody waits for it: each table is read on a snapshot of its own, and nothing is locked.
    """
    address = f"{file.absolute().as_uri()}?mode=rw"
    with translated(), closing(_opened(address)) as connection:
        # SQLite looks for this between any two pages; a handler of its steps would be called late.
        end = Timer(seconds, connection.interrupt)
        end.start()
        try:
            return _soundness(connection, time.monotonic() + seconds)
        finally:
            end.cancel()
            end.join()


def _opened(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _soundness(connection: sqlite3.Connection, until: float) -> Soundness:
    names = [name for (name,) in connection.execute(_TABLES).fetchall()]
    faults: list[str] = []
    for number, name in enumerate(names):
        try:
            fault = _fault_in(connection, name) if time.monotonic() < until else None
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                raise
            fault = None
        if fault is None:
            return Soundness(faults, len(names), len(names) - number)
        if fault:
            faults.append(f"{name}: {fault}")
    return Soundness(faults, len(names), 0)


def _fault_in(connection: sqlite3.Connection, table: str) -> str:
    """Returns the first fault of a table and its indexes; empty when they are sound."""
    try:
        (found,) = connection.execute(f"PRAGMA quick_check('{table}')").fetchone()
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
            raise
        return str(error)
    return "" if found == "ok" else " ".join(str(found).split())


_AT_ONCE = 500
"""Rows that are read between two looks at the clock."""


async def rows_read(database: Database, seconds: float) -> bool:
    """Returns False if the seconds were too few; StoreDamaged names the table of a damaged row."""
    until = time.monotonic() + seconds
    for table in METADATA.sorted_tables:
        try:
            if not await database.read(partial(_read, table=table, until=until)):
                return False
        except StoreDamaged as fault:
            raise StoreDamaged(f"{table.name}: {fault}") from None
    return True


def _read(connection: Connection, table: Table, until: float) -> bool:
    # A server would send the whole table at once.
    found = connection.execute(select(table), execution_options={"yield_per": _AT_ONCE})
    with found:
        for _ in found.partitions():
            if time.monotonic() >= until:
                return False
    return True
