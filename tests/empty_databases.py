"""Empty databases at the newest revision, for tests that go on from there."""

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import gettempdir
from time import monotonic, sleep
from typing import IO

import pytest
from sqlalchemy import Engine, NullPool, create_engine

from bot.adapters.sql.migrating import migrate
from bot.adapters.sql.tables import METADATA
from tests.lacking import missing
from tests.postgres_server import VARIABLE, named_server, new_database

_COUNT_ANEW = (
    "SELECT setval(sequencename::regclass, 1, false) FROM pg_sequences"
    " WHERE schemaname = current_schema()"
)

_SEATS = 3
"""Tests with a database of their own at a time, over all workers."""

_LONGEST_WAIT = 500.0


def _migrate(url: str) -> None:
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        migrate(connection)


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty database file at the newest revision."""
    path = tmp_path_factory.mktemp("store") / "template.db"
    _migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def sqlite_url(sqlite_template: Path, tmp_path: Path) -> str:
    """An empty database file for one test."""
    path = tmp_path / "store.db"
    shutil.copyfile(sqlite_template, path)
    return f"sqlite:///{path}"


@contextmanager
def _database(like: str | None = None) -> Iterator[str]:
    """The address of a new PostgreSQL database, which is dropped in the end."""
    server = named_server()
    if server is None:
        missing(
            "no PostgreSQL server named",
            f"{VARIABLE}=postgresql+psycopg://postgres@127.0.0.1:5432/test make test",
        )
    with new_database(server, like=like) as url:
        yield url


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of all tests of the session, each of which leaves it without a row."""
    with _database() as url:
        yield url


@pytest.fixture(scope="session")
def postgres_template() -> Iterator[str]:
    """A migrated database that nobody is connected to: to copy it takes half of a migration."""
    with _database() as url:
        _migrate(url)
        yield url


@pytest.fixture
def own_postgres_url(postgres_template: str) -> Iterator[str]:
    """A database of one test alone, without a row; several processes may connect to it."""
    with _seat(), _database(postgres_template) as url:
        yield url


@contextmanager
def _seat() -> Iterator[None]:
    """Waits until few others on this machine have such a database.

    The processes of one test take 20 to 40 connections, and a server gives 100.
    """
    with ExitStack() as stack:
        names = [Path(gettempdir()) / f"steward-tests-{number}.lock" for number in range(_SEATS)]
        locks = [stack.enter_context(name.open("w")) for name in names]
        until = monotonic() + _LONGEST_WAIT
        while not any(_taken(lock) for lock in locks):
            assert monotonic() < until, "others keep all connections of the server to themselves"
            sleep(0.05)
        yield


def _taken(lock: IO[str]) -> bool:
    """Returns True when nobody else holds the lock; whoever has the file open holds it now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@pytest.fixture(scope="session")
def postgres_migrated(postgres_url: str) -> Iterator[Engine]:
    """The migrated PostgreSQL database; one connection to it stays open."""
    _migrate(postgres_url)
    engine = create_engine(postgres_url)
    yield engine
    engine.dispose()


@pytest.fixture
def postgres_emptied(postgres_migrated: Engine, postgres_url: str) -> Iterator[str]:
    """The address of the migrated PostgreSQL database, without a row."""
    yield postgres_url
    # TRUNCATE makes a new file for each table and index, which takes 0.2 s.
    wanted = [f'DELETE FROM "{table.name}"' for table in reversed(METADATA.sorted_tables)]
    with postgres_migrated.begin() as connection:
        connection.exec_driver_sql("; ".join([*wanted, _COUNT_ANEW]))
