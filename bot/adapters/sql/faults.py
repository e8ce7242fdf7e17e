"""Translates a database's errors into the program's own, without the content of any row."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from bot.domain.errors import Conflict, StoreBusy, StoreError, StoreUnwritable

_SQLITE = {
    sqlite3.SQLITE_BUSY: StoreBusy,
    sqlite3.SQLITE_LOCKED: StoreBusy,
    sqlite3.SQLITE_PERM: StoreUnwritable,
    sqlite3.SQLITE_READONLY: StoreUnwritable,
    sqlite3.SQLITE_IOERR: StoreUnwritable,
    sqlite3.SQLITE_CORRUPT: StoreUnwritable,
    sqlite3.SQLITE_FULL: StoreUnwritable,
    sqlite3.SQLITE_CANTOPEN: StoreUnwritable,
    sqlite3.SQLITE_NOTADB: StoreUnwritable,
}
_POSTGRES = {
    "55P03": StoreBusy,  # lock_not_available
    "57014": StoreBusy,  # query_canceled by a time-out
    "40001": StoreBusy,  # serialization_failure
    "40P01": StoreBusy,  # deadlock_detected
    "53300": StoreBusy,  # too_many_connections
    "25006": StoreUnwritable,  # read_only_sql_transaction
    "42501": StoreUnwritable,  # insufficient_privilege
    "53100": StoreUnwritable,  # disk_full
    "58030": StoreUnwritable,  # io_error
    "XX001": StoreUnwritable,  # data_corrupted
    "XX002": StoreUnwritable,  # index_corrupted
}
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


@contextmanager
def translated() -> Iterator[None]:
    """Translates errors of the driver into a Conflict or a StoreError."""
    try:
        yield
    except DBAPIError as error:
        if _is_clash(error.orig):
            raise Conflict("a row is there already, or one it refers to is missing") from None
        raise _fault(error.orig) from error
    except sqlite3.Error as error:
        raise _fault(error) from error


def _is_clash(error: BaseException | None) -> bool:
    code = getattr(error, "sqlite_errorcode", None) or getattr(error, "sqlstate", None)
    return code in _CLASHES


def _fault(error: BaseException | None) -> StoreError:
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        return _SQLITE.get(code & 0xFF, StoreError)(str(error))
    state = getattr(error, "sqlstate", None)
    return _POSTGRES.get(state or "", StoreError)(_told(str(error).partition("\n")[0]))


def _told(words: str) -> str:
    """Returns the words of a fault of PostgreSQL, in one sentence about a missing connection."""
    if unnamed := _UNNAMED.fullmatch(words.strip()):
        return f"PostgreSQL cannot be reached: no name server knows {unnamed['host']}"
    found = _UNREACHED.fullmatch(words.strip())
    if found is None:
        return words
    how = "refuses this program" if found["refused"] else "cannot be reached"
    return f"PostgreSQL at {found['host']}, port {found['port']}, {how}: {found['why']}"
