"""One empty store of every kind for the contract tests: in memory, SQLite and PostgreSQL."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, NullPool, create_engine

from bot.adapters.sql.migrating import migrate
from bot.adapters.sql.store import open_store
from bot.adapters.sql.tables import METADATA
from bot.domain.chat import Chat
from bot.domain.message import Address
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW
from tests.fakes.store import MemoryStore

_COUNT_ANEW = (
    "SELECT setval(sequencename::regclass, 1, false) FROM pg_sequences"
    " WHERE schemaname = current_schema()"
)


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


@pytest.fixture(
    params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)],
)
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StorePorts]:
    """An empty store whose clock stands still."""
    if request.param == "memory":
        yield MemoryStore(lambda: NOW)
        return
    wanted = "sqlite_url" if request.param == "sqlite" else "postgres_emptied"
    async with open_store(request.getfixturevalue(wanted), now=lambda: NOW) as opened:
        yield opened


@pytest.fixture
async def chat(store: StorePorts) -> Chat:
    """A chat with its first conversation."""
    return await store.chats.at(Address("telegram", "42"), private=True)
