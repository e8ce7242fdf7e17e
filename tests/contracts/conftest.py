"""One empty store of every kind for the contract tests: in memory, SQLite and PostgreSQL."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from bot.adapters.sql.store import open_store
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address
from tests.contracts.store_ports import StorePorts
from tests.contracts.store_samples import NOW
from tests.fakes.store import MemoryStore

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Runs all tests of a store in one event loop: PostgreSQL's is opened once for all of them."""
    for item in items:
        if {"store", "chat"} & set(
            getattr(item, "fixturenames", ())
        ) and _HERE in item.path.parents:
            item.add_marker(pytest.mark.asyncio(loop_scope="session"))


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
