"""One empty store of every kind for the contract tests: in memory, SQLite and PostgreSQL."""

import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio
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

_HERE = Path(__file__).parent


def _migrate(url: str) -> None:
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        migrate(connection)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Runs all tests of a store in one event loop: PostgreSQL's is opened once for all of them."""
    for item in items:
        if {"store", "chat"} & set(
            getattr(item, "fixturenames", ())
        ) and _HERE in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"))


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


@pytest_asyncio.fixture(loop_scope="session")
async def sqlite_store(sqlite_url: str) -> AsyncIterator[StorePorts]:
    async with open_store(sqlite_url, now=lambda: NOW) as opened:
        yield opened


# Opening it for each test takes a third of all the time that these tests take.
@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def postgres_store(postgres_url: str) -> AsyncIterator[StorePorts]:
    async with open_store(postgres_url, now=lambda: NOW) as opened:
        yield opened


@pytest.fixture(
    params=["memory", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres)],
)
def store(request: pytest.FixtureRequest) -> StorePorts:
    """An empty store whose clock stands still."""
    match request.param:
        case "memory":
            return MemoryStore(lambda: NOW)
        case "sqlite":
            return request.getfixturevalue("sqlite_store")
        case _:
            request.getfixturevalue("postgres_emptied")
            return request.getfixturevalue("postgres_store")


@pytest_asyncio.fixture(loop_scope="session")
async def chat(store: StorePorts) -> Chat:
    """A chat with its first conversation."""
    return await store.chats.at(Address("telegram", "42"), private=True)
