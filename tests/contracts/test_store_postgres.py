"""What only a server can do: hold a row, be read-only, or not be there."""

import pytest
from sqlalchemy import NullPool, create_engine, make_url, text

from bot.adapters.sql.store import open_store
from bot.domain.errors import StoreAway, StoreBusy, StoreError
from bot.domain.message import Address
from tests.contracts.store_samples import commit, lines

pytestmark = pytest.mark.postgres


async def test_a_locked_chat_is_busy_and_then_free(postgres_emptied: str):
    async with open_store(postgres_emptied, busy_seconds=0.05) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        engine = create_engine(postgres_emptied, poolclass=NullPool)
        with engine.begin() as other:
            other.execute(text("SELECT 1 FROM chat FOR UPDATE"))
            with pytest.raises(StoreBusy):
                await commit(store, lines(chat, 1))
            assert await store.chats.get(chat.id) == chat
        await commit(store, lines(chat, 1))
        assert len(await store.journal.entries(chat.conversation)) == 1


async def test_a_server_that_takes_no_writes_is_a_standby_to_wait_for(postgres_emptied: str):
    query = {"options": "-c default_transaction_read_only=on"}
    url = make_url(postgres_emptied).update_query_dict(query)
    async with open_store(url.render_as_string(hide_password=False)) as store:
        with pytest.raises(StoreAway):
            await store.chats.at(Address("telegram", "42"), private=True)


async def test_a_server_that_is_not_there_is_a_fault_without_secrets(postgres_emptied: str):
    url = make_url(postgres_emptied).set(host="127.0.0.1", port=1, password="hunter2")
    with pytest.raises(StoreError) as caught:
        async with open_store(url.render_as_string(hide_password=False)):
            pass
    assert "hunter2" not in str(caught.value)


async def test_one_process_at_a_time_keeps_the_index_of_meaning(postgres_emptied: str):
    async with open_store(postgres_emptied) as other:
        async with open_store(postgres_emptied) as store:
            assert await store.meant.held()
            assert await store.meant.held(), "it is held on"
            assert not await other.meant.held()
            _end_connections(postgres_emptied)
            assert await other.meant.held()
            assert not await store.meant.held(), "its connection was lost"
        assert await other.meant.held()


def _end_connections(url: str) -> None:
    """Ends the connections that hold a key, as a server that starts again does."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks WHERE locktype = 'advisory'"
                " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        )
