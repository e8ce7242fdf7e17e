"""Only what the list names ever goes, and every table has its place in the sizes."""

import asyncio
import sqlite3
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, NullPool, create_engine, select, update

from bot.adapters.sql import retention, upkeep
from bot.adapters.sql.retention import RULES, Numbered, bite
from bot.adapters.sql.store import open_store
from bot.adapters.sql.tables import (
    METADATA,
    audit,
    hook_call,
    inbox,
    outbox,
    run,
    sight,
    turn,
    verdict,
)
from bot.domain.assignments.task import RunState
from bot.domain.change import InboundState
from bot.domain.talk.keeping import Ageing
from bot.domain.turn.turn import TurnState
from bot.ports.outbox import DeliveryState
from tests.adapters.sql.test_marks import fill
from tests.patience import PATIENCE

NOW = datetime(2026, 11, 24, 12, tzinfo=UTC)
_LONG_AGO = NOW - timedelta(days=4_000)
_FOR_EVER = (
    "WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
)
_SHRINK = {inbox: {"body"}, audit: {"details"}}
"""The columns that may change; of other tables with a rule only whole rows go."""


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """A database with rows in every table, all of them ten years old."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_emptied"
    made = create_engine(request.getfixturevalue(name), poolclass=NullPool)
    yield made
    made.dispose()


def everything(connection: Connection) -> dict[str, list[dict[str, Any]]]:
    return {
        table.name: [dict(row._mapping) for row in connection.execute(select(table))]
        for table in METADATA.sorted_tables
    }


def test_the_list_names_each_kind_and_tables_that_may_lose_rows() -> None:
    assert set(RULES) == set(Ageing)
    tables = {rule.table.name for rule in RULES.values()}
    assert tables == {"inbox", "audit", "verdict", "outbox", "run", "hook_call"}
    for rule in RULES.values():
        if isinstance(rule, Numbered) and rule.empty is not None:
            assert set(rule.empty) <= _SHRINK[rule.table]


def test_no_table_without_a_rule_loses_anything_however_old_it_is(engine: Engine) -> None:
    fill(engine, 1)
    fill(engine, 2)
    with engine.begin() as connection:
        before = everything(connection)
        swallow(connection)
        after = everything(connection)
    ruled = {rule.table.name for rule in RULES.values()} | {sight.name, "sweep"}
    for name in set(before) - ruled:
        assert after[name] == before[name], name
    for name in ruled - {"sweep"}:
        shrink = _SHRINK.get(METADATA.tables[name], set())
        whole = [{key: row[key] for key in row if key not in shrink} for row in before[name]]
        for row in after[name]:
            assert {key: row[key] for key in row if key not in shrink} in whole, name


def swallow(connection: Connection) -> None:
    """Removes everything that may go if all of it is old."""
    for passing in Ageing:
        while bite(connection, passing, NOW + timedelta(days=4_000), NOW).more:
            pass


def test_only_words_that_a_turn_took_and_presses_go_from_the_inbox(engine: Engine) -> None:
    fill(engine, 1)
    fill(engine, 2)
    with engine.begin() as connection:
        goes_on = like(connection, turn, id="goes-on", state=TurnState.PARKED)
        for number, state in enumerate(InboundState, start=10):
            taken = {"turn": "turn-1", "state": state, "body": "words"}
            like(connection, inbox, id=number, key=f"a{number}", **taken)
        like(
            connection, inbox, id=30, key="b", state=InboundState.TAKEN, turn=goes_on, body="words"
        )
        nobody = dict.fromkeys(("turn", "chat", "person", "message_id"))
        like(connection, inbox, id=31, key="c", state=InboundState.DONE, body="", **nobody)
        like(connection, inbox, id=32, key="d", state=InboundState.NEW, body="new", **nobody)
        like(connection, inbox, id=33, key="e", state=InboundState.DONE, body="", **nobody)
        swallow(connection)
        left = {row["id"]: row for row in everything(connection)["inbox"]}
    emptied = {id for id, row in left.items() if row["body"] == "" and id >= 10}
    taken = 10 + list(InboundState).index(InboundState.TAKEN)
    # The newest row stays: its number must not be given again.
    assert (emptied, 31 in left, 33 in left) == ({taken, 33}, False, True)


def like(connection: Connection, table: Any, **changed: Any) -> Any:
    """Writes a row like the first one of a table, with some changes; returns its id."""
    first = connection.execute(select(table).limit(1)).mappings().one()
    connection.execute(table.insert().values({**first, **changed}))
    return changed.get("id")


def test_rounds_runs_calls_and_shown_calls_stay_while_something_of_them_goes_on(
    engine: Engine,
) -> None:
    fill(engine, 1)
    fill(engine, 2)
    with engine.begin() as connection:
        goes_on = like(connection, turn, id="goes-on", state=TurnState.PARKED)
        like(connection, verdict, id=10, turn=goes_on)
        like(connection, verdict, id=11, turn="turn-1")
        like(connection, verdict, id=12, turn="turn-1")
        shown = {"key": "calls:turn-1:1", "about": "turn-1", "state": DeliveryState.SHOWN}
        like(connection, outbox, id=10, **shown)
        like(connection, sight, message_id="9", outbox=10)
        like(connection, outbox, id=11, **{**shown, "key": "calls:2", "state": DeliveryState.OWED})
        like(connection, outbox, id=12, **{**shown, "key": "calls:3", "about": goes_on})
        like(connection, outbox, id=13, **{**shown, "key": "answer:turn-1"})
        like(connection, outbox, id=14, **{**shown, "key": "answer:turn-2"})
        over = {"state": RunState.DONE, "ended_at": NOW, "again_at": None}
        for number, more in enumerate(({}, {"ended_at": None}, {"again_at": NOW}, {"at": NOW})):
            at = _LONG_AGO + timedelta(days=number)
            run_of = {"due": at, "at": at, "turn": f"run-{number}", **over, **more}
            like(connection, run, **run_of)
            like(connection, hook_call, id=f"h{number}", key="", seal="", **run_of_call(run_of))
        swallow(connection)
        left = everything(connection)
    assert {row["id"] for row in left["verdict"] if row["id"] >= 10} == {10, 12}
    assert {row["id"] for row in left["outbox"] if row["id"] >= 10} == {11, 12, 13, 14}
    assert not [row for row in left["sight"] if row["outbox"] == 10]
    assert {row["turn"] for row in left["run"]} >= {"run-1", "run-2"}
    assert "run-0" not in {row["turn"] for row in left["run"]}
    assert {row["id"] for row in left["hook_call"]} >= {"h1", "h2"}
    assert "h0" not in {row["id"] for row in left["hook_call"]}


def run_of_call(of: dict[str, Any]) -> dict[str, Any]:
    return {name: of[name] for name in ("at", "state", "ended_at", "again_at")} | {
        "turn": f"hook-{of['turn']}"
    }


def test_the_record_keeps_who_did_what_without_its_input(engine: Engine) -> None:
    fill(engine, 1)
    fill(engine, 2)
    details = {"turn": "turn-1", "call": "c", "status": "success", "arguments": '{"path": "a"}'}
    with engine.begin() as connection:
        like(connection, audit, id=10, details=details)
        like(connection, audit, id=11, details=details)
        swallow(connection)
        lines = {row["id"]: row for row in everything(connection)["audit"]}
    assert lines[10]["details"] == {"turn": "turn-1", "call": "c", "status": "success"}
    assert lines[11]["details"] == details
    assert lines[10]["subject"] == lines[11]["subject"]


def test_a_bite_is_small_and_the_next_one_goes_on_behind_it(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "AT_ONCE", 2)
    fill(engine, 1)
    with engine.begin() as connection:
        connection.execute(update(verdict).values(at=_LONG_AGO))
        for number in range(10, 16):
            like(connection, verdict, id=number, turn="turn-1", at=_LONG_AGO)
        like(connection, verdict, id=16, turn="turn-1", at=NOW)
        like(connection, verdict, id=17, turn="turn-1", at=_LONG_AGO)
    counts: list[int] = []
    for _ in range(6):
        # Each is a transaction of its own: a death between two loses nothing.
        with engine.begin() as connection:
            done = bite(connection, Ageing.ROUNDS, NOW, NOW + timedelta(hours=1))
            counts.append(done.removed)
            assert done.removed <= 2
            if not done.more:
                break
    with engine.connect() as connection:
        left = {row["id"] for row in everything(connection)["verdict"]}
    assert (sum(counts), left) == (7, {16, 17})


def test_every_table_counts_to_one_part_of_the_sizes() -> None:
    named = [table for tables in upkeep.PARTS.values() for table in tables]
    assert len(named) == len(set(named))
    assert set(named) == set(METADATA.tables)


async def test_sizes_are_those_of_the_file_and_are_noted_by_day(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url, poolclass=NullPool)
    fill(engine, 1)
    async with open_store(sqlite_url) as store:
        await store.upkeep.measure(NOW - timedelta(days=8), swept=True)
        await store.upkeep.measure(NOW - timedelta(hours=1), swept=False)
        await store.upkeep.measure(NOW, swept=False)
        kept = await store.upkeep.kept()
    assert kept.newest is not None
    assert kept.before is not None
    assert (kept.newest.at, kept.before.at) == (NOW, NOW - timedelta(days=8))
    assert kept.swept_at == NOW - timedelta(days=8)
    assert 0.8 * size_of(sqlite_url) < kept.newest.whole <= size_of(sqlite_url)
    assert list(kept.newest.parts)[:2] == ["conversations", "messages shown"]


def size_of(url: str) -> int:
    return Path(url.partition(":///")[2]).stat().st_size


def test_the_estimate_is_near_what_the_pages_say(sqlite_url: str) -> None:
    engine = create_engine(sqlite_url, poolclass=NullPool)
    fill(engine, 1)
    words = "words " * 50
    with engine.begin() as connection:
        for number in range(10, 2_010):
            like(connection, verdict, id=number, turn=f"turn-{number}", details={"why": words})
            like(connection, audit, id=number, details={"why": words * 2})
    found = upkeep.Look(Path(sqlite_url.partition(":///")[2])).tables()
    assert 0.5 < found["verdict"] / (2_000 * len(words)) < 2
    assert 1.5 < found["audit"] / found["verdict"] < 2.5
    assert sum(found.values()) == pytest.approx(size_of(sqlite_url), rel=0.01)


async def test_a_program_that_ends_does_not_wait_for_the_sizes_of_a_large_file(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = Event()

    def counted_for_ever(connection: sqlite3.Connection, *_: object) -> int:
        begun.set()
        return connection.execute(_FOR_EVER).fetchone()[0]

    monkeypatch.setattr(upkeep, "_weight", counted_for_ever)
    async with open_store(sqlite_url) as store, asyncio.timeout(PATIENCE):
        measuring = asyncio.create_task(store.upkeep.measure(NOW, swept=False))
        await asyncio.to_thread(begun.wait)
        measuring.cancel()
        await asyncio.wait([measuring])
        assert measuring.cancelled()
        assert (await store.upkeep.kept()).newest is None


@pytest.mark.postgres
async def test_sizes_of_a_server_are_its_own(own_postgres_url: str) -> None:
    async with open_store(own_postgres_url) as store:
        await store.upkeep.measure(NOW, swept=True)
        kept = await store.upkeep.kept()
        assert await store.upkeep.is_ours()
        async with open_store(own_postgres_url) as other:
            assert not await other.upkeep.is_ours()
    assert kept.newest is not None
    assert kept.newest.parts["conversations"] > 0
    assert kept.before is None
