"""What only a server can do: hold a row, be read-only, or not be there."""

import asyncio
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, NullPool, create_engine, event, make_url, text
from sqlalchemy.exc import OperationalError

from bot.adapters.sql import postgres
from bot.adapters.sql.postgres_lines import Lines
from bot.adapters.sql.store import open_store
from bot.domain.change import AddAudit, Change, KeepPassage
from bot.domain.talk.errors import StoreAway, StoreBusy, StoreError
from bot.domain.talk.message import Address
from tests.contracts.store_samples import NOW, commit, lines, shown
from tests.contracts.test_store_memory import DOG

pytestmark = pytest.mark.postgres

_HOLDS_A_KEY = "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
_NAMED = "application_name = 'under test'"


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


async def test_each_change_waits_for_the_disk_of_a_server_that_may_die_alone(
    postgres_emptied: str,
):
    query = {"options": "-c synchronous_commit=on"}
    url = make_url(postgres_emptied).update_query_dict(query)
    waits: list[str] = []

    def note(connection: Connection) -> None:
        waits.append(_driver(connection).execute("SHOW synchronous_commit").fetchone()[0])

    async with open_store(url.render_as_string(hide_password=False)) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        with _heard("commit", note):
            line = AddAudit(NOW, chat.id, None, "program.started", "steward", {})
            for change in (Change((line,), durable=True), Change((line,)), Change((shown(chat),))):
                await store.journal.commit(change)
            await store.journal.claim(chat.id)
            await store.inbox.accept("telegram", [], NOW)
    assert waits == ["on"] * 5


async def test_connections_that_the_server_ended_meanwhile_are_not_noticed(postgres_emptied: str):
    url = make_url(postgres_emptied).update_query_dict({"application_name": "under test"})
    async with open_store(url.render_as_string(hide_password=False)) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        await asyncio.gather(*[store.chats.get(chat.id) for _ in range(20)])
        _end_connections(postgres_emptied, _NAMED)
        assert await store.chats.get(chat.id) == chat
        _end_connections(postgres_emptied, _NAMED)
        await commit(store, lines(chat, 1))
        _end_connections(postgres_emptied, _NAMED)
        assert (await store.journal.agenda(chat.id)).chat.last_seq == 1


def test_a_transaction_that_cannot_begin_is_a_fault_of_the_connection(postgres_emptied: str):
    engine = create_engine(postgres_emptied, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    line = Lines(engine).open()
    pid = line.driver.info.backend_pid
    _end_connections(postgres_emptied, f"pid = {pid}")
    with pytest.raises(OperationalError):
        line.begin("BEGIN")
    assert line.lost
    line.end()


async def test_the_server_keeps_prepared_what_is_asked_often(postgres_emptied: str):
    kept: list[str] = []

    def note(connection: Connection) -> None:
        rows = _driver(connection).execute("SELECT statement FROM pg_prepared_statements")
        kept[:] = [row[0] for row in rows.fetchall()]

    async with open_store(postgres_emptied) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        for number in range(1, 9):
            await store.chats.get(chat.id)
            await store.journal.agenda(chat.id)
            await commit(store, lines(chat, number))
        with _heard("commit", note):
            await store.journal.agenda(chat.id)
    for begins in ("SELECT chat.id", "UPDATE chat", "INSERT INTO entry"):
        assert [statement for statement in kept if statement.startswith(begins)], begins


async def test_work_that_does_not_end_is_cut_when_the_store_closes(
    postgres_emptied: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(postgres, "_ENDING_SECONDS", 0.1)
    engine = create_engine(postgres_emptied, poolclass=NullPool)
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(open_store(postgres_emptied, busy_seconds=600))
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        with engine.begin() as other:
            other.execute(text("SELECT 1 FROM chat FOR UPDATE"))
            writing = asyncio.create_task(commit(store, lines(chat, 1)))
            while not await asyncio.to_thread(_someone_waits, postgres_emptied):
                pass
            await stack.aclose()
            with pytest.raises(StoreError):
                await writing


async def test_first_questions_at_once_on_a_new_database_make_one_index_of_words(
    postgres_emptied: str, caplog: pytest.LogCaptureFixture
):
    async with AsyncExitStack() as opened:
        stores = [await opened.enter_async_context(open_store(postgres_emptied)) for _ in range(3)]
        await commit(stores[0], KeepPassage(DOG))
        owed = await stores[0].memory.owed(10)
        at_once = [store.words.search("dog", DOG.whose, 5) for store in stores * 4]
        await asyncio.gather(*at_once, *(store.words.take_in(owed) for store in stores))
        for store in stores:
            assert [hit.id for hit in await store.words.search("dog", DOG.whose, 5)] == [DOG.id]
    assert caplog.text == ""


async def test_one_process_at_a_time_keeps_the_index_of_meaning(postgres_emptied: str):
    async with open_store(postgres_emptied) as other:
        async with open_store(postgres_emptied) as store:
            assert await store.meant.held()
            assert await store.meant.held(), "it is held on"
            assert not await other.meant.held()
            _end_connections(postgres_emptied, _HOLDS_A_KEY)
            assert await other.meant.held()
            assert not await store.meant.held(), "its connection was lost"
        assert await other.meant.held()


@contextmanager
def _heard(name: str, listener: Any) -> Iterator[None]:
    """Listens to every engine of this process."""
    event.listen(Engine, name, listener)
    try:
        yield
    finally:
        event.remove(Engine, name, listener)


def _driver(connection: Connection) -> Any:
    return connection.connection.driver_connection


def _end_connections(url: str, which: str) -> None:
    """Ends connections to the database, as a server that starts again does."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                f" WHERE datname = current_database() AND {which}"
            )
        )


def _someone_waits(url: str) -> bool:
    engine = create_engine(url, poolclass=NullPool)
    with engine.begin() as connection:
        waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        asked = text(f"{waiting} AND wait_event_type = 'Lock'")
        return bool(connection.execute(asked).scalar_one())
