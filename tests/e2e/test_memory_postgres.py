"""The memory on PostgreSQL: what is kept, found and erased there, over deaths as well."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import NullPool, create_engine

from tests.e2e.records import ServerRecords
from tests.e2e.steward import Steward, words_in
from tests.e2e.test_forgetting import CANARY, HELD, everywhere, services
from tests.e2e.test_meaning import CAR, embeddings, ids, imported, memory
from tests.standins.embeddings import Embeddings
from tests.standins.messages_api import text

__all__ = ["embeddings", "services"]
pytestmark = [
    pytest.mark.postgres,
    pytest.mark.telegrams_own("the database is its subject, so one platform is enough"),
]
SLOW = """CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
CREATE TRIGGER slow BEFORE UPDATE OF body ON entry FOR EACH ROW EXECUTE FUNCTION slowly()"""
"""Holds the one who rewrites an entry in the middle of the transaction, for minutes."""


@pytest.fixture
def records(own_postgres_url: str, steward: Steward) -> ServerRecords:
    """The program keeps everything in a database of the server."""
    steward.records = found = ServerRecords(own_postgres_url)
    steward.settings["STEWARD_DATABASE_URL"] = own_postgres_url
    return found


@contextmanager
def slow(records: ServerRecords) -> Iterator[None]:
    """Holds erasing in its middle."""
    engine = create_engine(records.url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(SLOW.replace("%", "%%"))
    yield
    with engine.begin() as connection:
        # The server notices the death of a client only when it answers it.
        connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        )
        connection.exec_driver_sql("DROP TRIGGER slow ON entry; DROP FUNCTION slowly")


def rewrites(records: ServerRecords) -> bool:
    told = "SELECT 1 FROM pg_stat_activity WHERE wait_event = ? AND datname = current_database()"
    return bool(records.rows(told, "PgSleep"))


async def test_a_death_while_everything_is_erased_leaves_all_and_then_nothing(
    records: ServerRecords, steward: Steward, services: None
) -> None:
    await everywhere(steward)
    before = records.holding(CANARY)
    assert before >= HELD
    steward.say("/forget all")
    question = await steward.sees("I cannot bring it back")
    await steward.recorded()
    with slow(records):
        steward.press(question, "🗑 Erase")
        await steward.eventually(lambda: rewrites(records))
        await steward.kill()
        assert records.holding(CANARY) == before
    await steward.start()
    await steward.sees("Erased.")
    await steward.recorded()
    assert records.holding(CANARY) == set()
    await steward.eventually(lambda: not records.rows("SELECT 1 FROM leaving"))
    assert not records.rows("SELECT 1 FROM passage")
    assert "I cannot bring it back" not in steward.showing("Erased.")[-1].text


async def test_answers_are_imported_found_recalled_and_indexed_anew(
    records: ServerRecords, steward: Steward, embeddings: Embeddings
) -> None:
    steward.script(text(CAR), text("Shelf 7."))
    await steward.start()
    steward.say("Remember the place")
    await steward.sees(CAR)
    file = imported(steward, 40)
    for new in (40, 0):
        code, told = await memory(steward, "import", str(file))
        assert (code, f"New: {new}." in told) == (0, True), told
    done = "SELECT count(*) FROM passage WHERE indexed AND meant"
    await steward.eventually(lambda: records.rows(done) == [(41,)])
    assert (await ids(steward, "thing7", "belongs"))[0] == ("import:7", ["words", "meaning"])
    code, told = await memory(steward, "reindex")
    assert (code, "They follow later" in told) == (0, True), "the bot holds the index of meaning"
    await steward.eventually(lambda: records.rows(done) == [(41,)])
    steward.say("/new")
    await steward.sees("fresh start")
    steward.say("Where does thing7 belong?")
    await steward.sees("Shelf 7.")
    assert "thing7 belongs to shelf7" in words_in(steward.model.requests[-1])
    await steward.recorded()
