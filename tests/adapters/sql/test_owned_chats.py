"""Chats that one of several processes owns, on a real server."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import NullPool, create_engine, text

from bot.adapters.sql.store import open_store
from bot.domain.talk.errors import StoreAway
from bot.ports.lanes import OwnedChats

pytestmark = pytest.mark.postgres
_LOOKING = (
    "datname = current_database() AND pid <> pg_backend_pid()"
    " AND query LIKE '%pg_try_advisory_lock%'"
)


@pytest.fixture
async def owners(own_postgres_url: str) -> AsyncIterator[tuple[OwnedChats, OwnedChats]]:
    """Two processes on one database, as the server sees them."""
    async with open_store(own_postgres_url) as first, open_store(own_postgres_url) as second:
        assert first.owned_chats is not None
        assert second.owned_chats is not None
        yield first.owned_chats, second.owned_chats


def cut(url: str) -> None:
    """Has the server end every connection that took a chat last."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(
            text(f"SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE {_LOOKING}")
        )


async def test_a_chat_has_one_owner_until_it_is_left(
    owners: tuple[OwnedChats, OwnedChats],
) -> None:
    one, other = owners
    assert await one.take(1)
    assert await one.take(1), "it is its own"
    assert not await other.take(1)
    assert await other.take(2)
    one.leave(1)
    assert not await other.take(1), "it is free with the next question"
    await one.look(0)
    assert await other.take(1)
    assert not await one.take(1)


async def test_a_chat_that_is_left_and_taken_again_stays(
    owners: tuple[OwnedChats, OwnedChats],
) -> None:
    one, other = owners
    assert await one.take(1)
    one.leave(1)
    assert await one.take(1)
    await one.look(0)
    assert not await other.take(1)


async def test_chats_of_a_lost_connection_are_robbed_only_if_somebody_took_them(
    owners: tuple[OwnedChats, OwnedChats], own_postgres_url: str
) -> None:
    one, other = owners
    assert await one.take(1)
    assert await one.take(2)
    cut(own_postgres_url)
    assert await other.take(1)
    with pytest.raises(StoreAway):
        await one.look(0)
    look = await one.look(0)
    assert look.robbed == {1}
    assert not await one.take(1)
    assert await one.take(2)
    assert not await other.take(2)
    assert not (await one.look(0)).robbed


async def test_a_cancelled_question_leaves_no_chat_behind(
    owners: tuple[OwnedChats, OwnedChats],
) -> None:
    one, other = owners
    taking = asyncio.ensure_future(one.take(1))
    await asyncio.sleep(0)
    taking.cancel()
    await asyncio.wait([taking])
    one.leave(1)
    await one.look(0)
    assert await other.take(1)
