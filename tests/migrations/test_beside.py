"""Migrations beside older programs: what only adds runs at once, and the rest waits for them."""

import asyncio
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, NullPool, create_engine, inspect

from bot.adapters.sql import migrating, owned_chats
from bot.adapters.sql.migrating import REVISIONS, migrate, upgrade
from bot.adapters.sql.moment import change_of, moment_of
from bot.adapters.sql.patience import Patience
from bot.adapters.sql.session_locks import SessionLocks
from bot.adapters.sql.store import ServingProcess, open_store
from bot.adapters.sql.this_process import draw_number, known_to
from bot.domain.talk.errors import StoreAway, StoreTooNew
from tests.migrations.next_version import NEXT, one_more_step

ROOT = Path(__file__).parents[2]
FIRST = "0040"
"""The newest revision of 0.2.0: its processes serve beside each newer one."""

Shapes = Mapping[str, tuple[Mapping[str, tuple[str, bool, Any]], frozenset[str]]]
"""The columns of each table with kind, may be empty and default; and what it demands of rows."""


def shapes(engine: Engine) -> Shapes:
    looked = inspect(engine)
    return {
        table: (
            {
                one["name"]: (str(one["type"]), one["nullable"], one["default"])
                for one in looked.get_columns(table)
            },
            frozenset(
                str(one)
                for one in (
                    looked.get_pk_constraint(table),
                    *looked.get_unique_constraints(table),
                    *looked.get_foreign_keys(table),
                    *looked.get_check_constraints(table),
                    *(i["name"] for i in looked.get_indexes(table) if i["unique"]),
                )
            ),
        )
        for table in looked.get_table_names()
        if not table.startswith("passage_")
    }


def taken_away(before: Shapes, after: Shapes) -> list[str]:
    """Returns what a program that knows only the former shape would miss or be refused."""
    lost = [f"table {name}" for name in before if name not in after]
    for table in before.keys() & after.keys():
        (old, allowed), (new, demanded) = before[table], after[table]
        lost += [f"column {table}.{name}" for name in old if old[name] != new.get(name)]
        lost += [
            f"a value for {table}.{name}"
            for name in new.keys() - old.keys()
            if not new[name][1] and new[name][2] is None
        ]
        lost += [f"rows of {table} without {one}" for one in demanded - allowed]
    return lost


def at(engine: Engine, revision: str) -> Shapes:
    with engine.begin() as connection:
        upgrade(connection, revision)
    return shapes(engine)


def test_each_migration_only_adds_or_names_the_first_version_that_can_do_without(
    tmp_path: Path,
) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'store.db'}", poolclass=NullPool)
    script = ScriptDirectory(str(ROOT / "alembic"))
    before = at(engine, FIRST)
    for number in REVISIONS[REVISIONS.index(FIRST) + 1 :]:
        after = at(engine, number)
        revision = script.get_revision(number)
        assert revision is not None
        named = revision.module.lives_with
        assert (taken_away(before, after) == []) == (named == FIRST), number
        assert FIRST <= named <= number
        before = after


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("DROP TABLE measure", "table measure"),
        ("ALTER TABLE rule DROP COLUMN used", "column rule.used"),
        ("ALTER TABLE rule RENAME COLUMN used TO uses", "column rule.used"),
        ("ALTER TABLE sweep ADD COLUMN by TEXT NOT NULL", "a value for sweep.by"),
        ("CREATE UNIQUE INDEX one_at_a_time ON sweep (at)", "rows of sweep without"),
    ],
)
def test_what_an_older_program_cannot_live_with_is_seen(
    tmp_path: Path, statement: str, lost: str
) -> None:
    engine = create_engine(f"sqlite:///{tmp_path / 'store.db'}", poolclass=NullPool)
    before = at(engine, "head")
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)
    (seen, *_) = taken_away(before, shapes(engine))
    assert seen.startswith(lost)


def test_a_process_tells_the_newest_revision_that_it_knows() -> None:
    assert known_to(draw_number("0044")) == "0044"
    assert known_to(draw_number(NEXT) | 1 << 49 | 1 << 50) == NEXT
    assert known_to((1 << 48) - 1) == FIRST


@pytest.fixture
def next_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Has programs from now on be of a version with one more step, in a folder of its own."""
    monkeypatch.setattr(migrating, "MIGRATIONS", tmp_path / "alembic")
    return monkeypatch


def become_newer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrating, "REVISIONS", (*REVISIONS, NEXT))


def revision_at(url: str) -> str | None:
    with moment_of(url) as connection:
        return migrating.revision_of(connection)


@pytest.mark.postgres
async def test_what_takes_something_away_waits_until_no_older_process_serves(
    own_postgres_url: str,
    tmp_path: Path,
    next_version: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    one_more_step(tmp_path / "alembic", lives_with=NEXT)
    told = asyncio.Event()
    caplog.handler.addFilter(lambda record: told.set() or True)
    newer = ServingProcess(patience=Patience())

    async def serve() -> None:
        async with open_store(own_postgres_url, serving=newer):
            assert revision_at(own_postgres_url) == NEXT

    async with open_store(own_postgres_url, serving=ServingProcess()) as older:
        become_newer(next_version)
        with pytest.raises(StoreAway, match="1 older processes serve"):
            async with open_store(own_postgres_url, serving=ServingProcess()):
                pass
        with caplog.at_level(logging.WARNING):
            waiting = asyncio.create_task(serve())
            await told.wait()
        assert "stop them. Everything waits for it" in caplog.text
        assert revision_at(own_postgres_url) == REVISIONS[-1]
        assert await older.people.accounts() == []
        assert not waiting.done()
    await waiting


@pytest.mark.postgres
async def test_what_older_processes_can_do_without_goes_while_they_serve_and_none_begins_anew(
    own_postgres_url: str, tmp_path: Path, next_version: pytest.MonkeyPatch
) -> None:
    one_more_step(tmp_path / "alembic", lives_with=REVISIONS[-1])
    async with open_store(own_postgres_url, serving=ServingProcess()) as older:
        with next_version.context() as patched:
            become_newer(patched)
            async with open_store(own_postgres_url, serving=ServingProcess()):
                assert revision_at(own_postgres_url) == NEXT
        assert await older.people.accounts() == []
        with pytest.raises(StoreTooNew, match="by a newer version"):
            async with open_store(own_postgres_url, serving=ServingProcess()):
                pass


@pytest.mark.postgres
async def test_a_process_that_begins_in_the_middle_of_an_upgrade_ends(
    own_postgres_url: str, tmp_path: Path, next_version: pytest.MonkeyPatch
) -> None:
    one_more_step(tmp_path / "alembic", lives_with=NEXT)
    known = owned_chats.SqlOwnedChats

    def upgraded_meanwhile(locks: SessionLocks) -> owned_chats.SqlOwnedChats:
        with next_version.context() as patched, change_of(own_postgres_url) as connection:
            become_newer(patched)
            migrate(connection)
        return known(locks)

    next_version.setattr(owned_chats, "SqlOwnedChats", upgraded_meanwhile)
    with pytest.raises(StoreTooNew, match="by a newer version"):
        async with open_store(own_postgres_url, serving=ServingProcess()):
            pass
