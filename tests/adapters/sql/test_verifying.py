"""What is left of erased words is found wherever it stands, and can be erased."""

from typing import Any

import pytest
from sqlalchemy import Connection, Table, insert, select, update

from bot.adapters.sql.moment import change_of, moment_of
from bot.adapters.sql.store import open_store
from bot.adapters.sql.tables import approval, artifact, file_change, inbox, outbox, passage
from bot.adapters.sql.verifying import mend, verified
from bot.domain.change import (
    AddArtifact,
    Append,
    Erase,
    InboundState,
    KeepPassage,
    MarkInbound,
    SaveApproval,
    SaveFileChange,
    SaveTurn,
)
from bot.domain.change.erasing import Target
from bot.domain.consent.approval import ApprovalState
from bot.domain.memory.passage import Passage
from bot.domain.talk.message import Address, RawUpdate
from bot.domain.turn.outcome import StopReason
from bot.domain.turn.transcript import AskerBody
from bot.domain.turn.turn import TurnState
from tests.contracts.store_samples import NOW, a_card, a_turn, an_entry, commit, shown
from tests.contracts.test_store_file_changes import a_change

SECRET = "xyzzyplugh"
TABLES = (approval, artifact, file_change, inbox, outbox, passage)
LEFT = "Words of erased turns are still there: one."


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_emptied"
    return request.getfixturevalue(name)


def rows_of(connection: Connection, table: Table) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in connection.execute(select(table))]


def put_back(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Brings rows back as they were before their words were erased."""
    key = table.primary_key.columns
    for row in rows:
        same = [column == row[column.name] for column in key]
        if connection.execute(update(table).where(*same).values(row)).rowcount == 0:
            connection.execute(insert(table).values(row))


async def one_erased(url: str) -> dict[str, list[dict[str, Any]]]:
    """Erases a turn that left words in every table; returns the rows from before."""
    async with open_store(url, now=lambda: NOW) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        (row,) = await store.inbox.accept("telegram", [RawUpdate("1", SECRET)], NOW)
        card = a_card(chat, "k", turn="one", state=ApprovalState.DENIED, purpose=SECRET)
        over = a_turn(chat, "one", state=TurnState.SETTLED, stop_reason=StopReason.FINAL_ANSWER)
        await commit(
            store,
            SaveApproval(card),
            SaveTurn(over),
            Append(chat.id, (an_entry(chat, 1, AskerBody(SECRET, "Ann"), "one"),)),
            KeepPassage(Passage("one", "p1", NOW, SECRET, SECRET, 1, "Ann", chat.id)),
            MarkInbound(row.id, InboundState.TAKEN, (row.state,), chat.id, turn="one"),
            AddArtifact("one-1", chat.id, SECRET, "one"),
            SaveFileChange(a_change(chat, "f", "one")),
            shown(chat, "answer:one", SECRET, "one"),
        )
        with moment_of(url) as connection:
            before = {table.name: rows_of(connection, table) for table in TABLES}
        await commit(store, Erase(Target("p1", turn="one")))
        await store.words.take_in(await store.memory.owed(10))
    return before


async def test_words_that_stand_anywhere_after_they_were_erased_are_found(url: str) -> None:
    before = await one_erased(url)
    with moment_of(url) as connection:
        assert list(verified(connection)) == []
    for table in TABLES:
        assert len(before[table.name]) == 1, table.name
        with change_of(url) as connection:
            put_back(connection, table, before[table.name])
            told = [flaw.told for flaw in verified(connection) if flaw.can_mend]
            assert LEFT in told, table.name
            mend(connection)
            assert SECRET not in str(rows_of(connection, table)), table.name
            assert LEFT not in [flaw.told for flaw in verified(connection)], table.name


async def test_a_notice_that_came_after_the_erasing_is_no_fault(url: str) -> None:
    await one_erased(url)
    async with open_store(url, now=lambda: NOW) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        await commit(store, shown(chat, "unsent:one", "A file cannot be sent.", "one"))
    with moment_of(url) as connection:
        assert list(verified(connection)) == []
