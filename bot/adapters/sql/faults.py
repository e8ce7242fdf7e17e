"""Translates a database's errors into the program's own, without the content of any row.

This is the only place that tells apart what a database says. Everybody else decides by the class.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from bot.domain.talk.errors import (
    Conflict,
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFault,
    StoreInDoubt,
    StoreRefused,
    StoreUnwritable,
)

_SQLITE: dict[int, type[StoreError]] = {
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_PROTOCOL: StoreBusy,
    sqlite3.SQLITE_NOMEM: StoreBusy,
    sqlite3.SQLITE_INTERRUPT: StoreBusy,
    sqlite3.SQLITE_PERM: StoreUnwritable,
    sqlite3.SQLITE_READONLY: StoreUnwritable,
    sqlite3.SQLITE_IOERR: StoreUnwritable,
    sqlite3.SQLITE_FULL: StoreUnwritable,
    sqlite3.SQLITE_CANTOPEN: StoreUnwritable,
    sqlite3.SQLITE_CORRUPT: StoreDamaged,
    sqlite3.SQLITE_NOTADB: StoreDamaged,
}
_POSTGRES: dict[str, type[StoreError]] = {
    "55P03": StoreBusy,  # lock_not_available
    "55006": StoreBusy,  # object_in_use
    "57014": StoreBusy,  # query_canceled by a time-out
    "40": StoreBusy,  # transaction rollback: serialization, deadlock, completion unknown
    "53": StoreBusy,  # insufficient resources: memory, a limit of the server
    "53300": StoreAway,  # too_many_connections
    "08": StoreAway,  # connection exception
    "57P": StoreAway,  # shutdown, crash of another backend, not up yet, idle time-out
    "25006": StoreAway,  # read_only_sql_transaction: a standby
    "25P": StoreAway,  # the server ended a transaction that it took for forgotten
    "57P04": StoreRefused,  # database_dropped
    "28": StoreRefused,  # invalid authorization
    "3D000": StoreRefused,  # invalid_catalog_name
    "42501": StoreUnwritable,  # insufficient_privilege
    "53100": StoreUnwritable,  # disk_full
    "58": StoreUnwritable,  # system error of the server: input and output
    "58P01": StoreDamaged,  # undefined_file
    "XX001": StoreDamaged,  # data_corrupted
    "XX002": StoreDamaged,  # index_corrupted
}
"""Classes by SQLSTATE; the longest beginning that fits decides."""

_CLASHES = frozenset(
    {
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
        "23505",  # unique_violation
        "23503",  # foreign_key_violation
    }
)

_UNREACHED = re.compile(
    r'connection failed: connection to server at "(?P<host>[^"]*)", port (?P<port>\d+) failed: '
    r"(?P<refused>FATAL: *)?(?P<why>.+?)\.?"
)
"""Words of the driver of PostgreSQL about a missing connection."""

_UNNAMED = re.compile(r"failed to resolve host '(?P<host>[^']*)'.*")

UNREADABLE = "a row cannot be read"
"""Words about a row whose page is sound, and whose values are not what was written."""

_UNDECODED = "Could not decode to UTF-8"
"""Words of SQLite's driver about such a value, which it tells too; it gives no code for them."""

_WRONG_SETTING = re.compile(
    r"authentication failed|no password supplied|no pg_hba\.conf entry|"
    r'(role|user|database) ".*" does not exist|permission denied for database|'
    r"is not permitted to log in|invalid connection option"
)
"""Words about a setting, in a fault of the connection: there the driver has no SQLSTATE."""


@contextmanager
def translated() -> Iterator[None]:
    """Translates errors of the driver into a Conflict or a StoreError."""
    try:
        yield
    except DBAPIError as error:
        if _is_clash(error.orig):
            raise Conflict("a row is there already, or one it refers to is missing") from None
        lost = error.connection_invalidated or isinstance(error, OperationalError | InterfaceError)
        fault = _fault(error.orig, lost=lost)
        raise fault from (None if _tells_row(error.orig) else error)
    except NoConnectionFree as error:
        raise StoreBusy("no connection to the database became free") from error
    except sqlite3.Error as error:
        raise _fault(error) from (None if _tells_row(error) else error)
    except UnicodeDecodeError:
        raise StoreDamaged(UNREADABLE) from None


@contextmanager
def committing() -> Iterator[None]:
    """Tells of a commit that lost its connection: nobody can say whether it was done."""
    try:
        with translated():
            yield
    except StoreAway as fault:
        raise StoreInDoubt(str(fault)) from fault


def _is_clash(error: BaseException | None) -> bool:
    code = getattr(error, "sqlite_errorcode", None) or getattr(error, "sqlstate", None)
    return code in _CLASHES


def _tells_row(error: BaseException | None) -> bool:
    """Returns True for a fault about a value whose words bring the value along."""
    return isinstance(error, sqlite3.Error) and _UNDECODED in str(error)


def _fault(error: BaseException | None, *, lost: bool = False) -> StoreError:
    if isinstance(error, sqlite3.Error):
        if _tells_row(error):
            return StoreDamaged(UNREADABLE)
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return _SQLITE.get(code & 0xFF, StoreFault)(str(error))
    words = str(error).partition("\n")[0]
    return _of_postgres(error, words, lost=lost)(_told(words))


def _of_postgres(error: BaseException | None, words: str, *, lost: bool) -> type[StoreError]:
    """Returns the class; the driver gives no SQLSTATE where no server answered, or none any more.

    With `lost` the fault is one of the connection or of the server, not of the statement.
    """
    state: str = getattr(error, "sqlstate", None) or ""
    for length in range(len(state), 1, -1):
        if (found := _POSTGRES.get(state[:length])) is not None:
            return found
    if _WRONG_SETTING.search(words):
        return StoreRefused
    return StoreAway if lost else StoreFault


def _told(words: str) -> str:
    """Returns the words of a fault of PostgreSQL, in one sentence about a missing connection."""
    if unnamed := _UNNAMED.fullmatch(words.strip()):
        return f"PostgreSQL cannot be reached: no name server knows {unnamed['host']}"
    found = _UNREACHED.fullmatch(words.strip())
    if found is None:
        return words
    how = "refuses this program" if found["refused"] else "cannot be reached"
    return f"PostgreSQL at {found['host']}, port {found['port']}, {how}: {found['why']}"
