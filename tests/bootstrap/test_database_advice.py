"""What a person is told to do about a database that cannot be used: one advice for each fault."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy.exc import OperationalError

from bot.adapters.sql.faults import translated
from bot.bootstrap.database import mend_database
from bot.domain.talk.errors import StoreUnavailable
from bot.settings import read_settings

SERVER = "postgresql://steward@db/steward"
FILE = "sqlite:////srv/steward.db"


class Told(Exception):
    """An error as a driver raises it."""

    def __init__(self, words: str, state: str | None) -> None:
        super().__init__(words)
        self.sqlstate = state


def of_server(words: str, state: str | None) -> Exception:
    return OperationalError("SELECT 1", None, Told(words, state))


def of_file(words: str, code: int) -> Exception:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("url", "error", "advice"),
    [
        (SERVER, of_server("server closed the connection unexpectedly", None), "Start PostgreSQL"),
        (SERVER, of_server("the database system is shutting down", "57P01"), "Start PostgreSQL"),
        (SERVER, of_server('password authentication failed for user "x"', None), "the password"),
        (
            SERVER,
            of_server("could not extend file: No space left on device", "53100"),
            "Make room on the disk of the server",
        ),
        (SERVER, of_server("permission denied for table chat", "42501"), "the right to write"),
        (SERVER, of_server("could not write block 7", "58030"), "the disk of the server"),
        (SERVER, of_server("invalid page in block 7", "XX001"), "back from a backup"),
        (
            FILE,
            of_file("database or disk is full", sqlite3.SQLITE_FULL),
            "Make room on the disk of /srv/steward.db",
        ),
        (
            FILE,
            of_file("attempt to write a readonly database", sqlite3.SQLITE_READONLY),
            "the right to write /srv/steward.db",
        ),
        (FILE, of_file("disk I/O error", sqlite3.SQLITE_IOERR), "Look at the disk of"),
        (FILE, of_file("database disk image is malformed", sqlite3.SQLITE_CORRUPT), "a backup"),
        (FILE, of_file("file is not a database", sqlite3.SQLITE_NOTADB), "a backup"),
    ],
)
def test_the_advice_fits_the_fault(url: str, error: Exception, advice: str, tmp_path: Path) -> None:
    settings = read_settings({"STEWARD_DATABASE_URL": url}, tmp_path)
    with pytest.raises(StoreUnavailable) as caught, translated():
        raise error
    assert advice in mend_database(settings, caught.value)
