"""Databases of every age are brought to today's tables, and newer ones are left alone."""

import asyncio
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import CommandLine, Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import (
    URL,
    Column,
    Connection,
    MetaData,
    NullPool,
    Table,
    create_engine,
    event,
    inspect,
    make_url,
    text,
)
from sqlalchemy.engine import Engine

from bot.adapters.sql.migrating import REVISIONS
from bot.adapters.sql.store import ServingProcess, open_store
from bot.adapters.sql.tables import whole_metadata
from bot.bootstrap.upgrading import Course
from bot.domain.talk.chat import Activation, LongAnswers
from bot.domain.talk.errors import (
    StoreError,
    StoreOutgrown,
    StoreTooNew,
    StoreTooOld,
    StoreUnwritable,
)
from bot.domain.talk.message import Address, CodeBlock, Markdown, Plain
from bot.domain.turn.transcript import AskerBody

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).with_name("first_release.sql")
"""A database of the first release, with something in every table that people fill."""

RELEASED = {
    "0039": "f401e56b6e48262c9d9dd8303b4abfabfdff23f179e1207b997ea1a0ba8873b2",
    "0040": "98e8d5a1e255db3b849fc25a0d024d747016af5e9a3e73957a15155a924addb4",
    "0041": "1d7e7e812496ec5c55958aa82abc6ad6caec5f934a843a6f19ea17cc91bad26e",
    "0042": "7a0a65fe2f9b149091a49542d846a65580ae3d3690187ffe1c4e6d4660d2b7ae",
    "0043": "c98493629bed8ef8aceaf82b460837dc9e3c242240f846c6122957feb0b16218",
    "0044": "557cc4d3ff96aa04622ff15d5102a051f7a0d424ff6f107f8a4c11e62df6b621",
    "0045": "fc059cc3fee633e5c70c9ef1d33bc2e08764c00f03094ef0f3a28d8865041741",
    "0046": "9eb8a6456dab528c7f595a24cdbe19238666e2caa0afca9c6b333508cde38a88",
    "0047": "e70e4418b3015270e6b7884bdf14c26d78f864068a498aa93635fa0b2e8d663e",
    "0048": "a8142803088f7ca4c39d4030ea819ca3bad8d0bc46a81efa95c6d6256064f70f",
    "0049": "b7ee56e855b7efb175a4bc33ccf3fb2422c9536cb7b9c3f4738eb2fbb91e0c00",
}
"""The digest of each migration; a new one adds its own, and none changes."""


@pytest.fixture
def empty_schema(postgres_url: str) -> Iterator[str]:
    """A PostgreSQL address at which no table is seen."""
    schema = f"empty_{uuid4().hex}"
    engine = create_engine(postgres_url, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    query = {"options": f"-c search_path={schema}"}
    yield make_url(postgres_url).update_query_dict(query).render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without a table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.db'}"
    return request.getfixturevalue("empty_schema")


def script() -> ScriptDirectory:
    return ScriptDirectory.from_config(Config(ROOT / "alembic.ini"))


def differences(url: str) -> list[object]:
    """What autogenerate would still change."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, whole_metadata()))


def indexes(url: str) -> set[str]:
    wanted = text("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return set(connection.execute(wanted).scalars())


def shape(url: str) -> dict[str, object]:
    """The tables of a database as it tells of them; the order of their columns does not count."""
    looked = inspect(create_engine(url, poolclass=NullPool))
    tables = [name for name in looked.get_table_names() if not name.startswith("passage_")]
    return {
        table: (
            {(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in columns},
            looked.get_pk_constraint(table),
            sorted(looked.get_unique_constraints(table), key=str),
            sorted(looked.get_foreign_keys(table), key=str),
        )
        for table in tables
        if (columns := looked.get_columns(table))
    }


async def alembic(*arguments: str) -> None:
    """Runs the library's command line as `python -m alembic` does, in this process."""
    await asyncio.to_thread(
        CommandLine("alembic").main, ["-c", str(ROOT / "alembic.ini"), *arguments]
    )


def insert(connection: Connection, table: str, **given: object) -> None:
    """Inserts a row; what must have a value and is not given is empty or 0."""
    looked = Table(table, MetaData(), autoload_with=connection)
    row = {
        column.name: _blank(column)
        for column in looked.c
        if not column.nullable and column.server_default is None
    }
    connection.execute(looked.insert().values(row | given))


def _blank(column: Column[Any]) -> object:
    kind = column.type.python_type
    return datetime(2026, 11, 21, tzinfo=UTC) if kind is datetime else kind()


def play(recorded: Path, path: Path) -> str:
    """Makes a database file from its recorded dump."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(recorded.read_text("utf-8"))
    return f"sqlite:///{path}"


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_the_program_knows_every_revision_in_order():
    revisions = [r.revision for r in script().walk_revisions()][::-1]
    assert tuple(revisions) == REVISIONS
    assert script().get_heads() == [REVISIONS[-1]]


async def test_an_empty_database_gets_todays_tables(empty_url: str):
    async with open_store(empty_url) as store:
        await store.chats.at(Address("telegram", "42"), private=True)
    assert differences(empty_url) == []


async def test_partial_indexes_have_the_conditions_of_the_tables(tmp_path: Path):
    migrated, made = f"sqlite:///{tmp_path / 'migrated.db'}", f"sqlite:///{tmp_path / 'made.db'}"
    async with open_store(migrated):
        pass
    engine = create_engine(made, poolclass=NullPool)
    whole_metadata().create_all(engine)
    assert indexes(migrated) == indexes(made)


async def test_the_command_line_makes_the_same_tables(empty_url: str):
    arguments = ("-x", f"url={empty_url}", "upgrade", "head")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "alembic", *arguments, cwd=ROOT
    )
    assert await process.wait() == 0
    assert differences(empty_url) == []
    async with open_store(empty_url) as store:
        assert await store.journal.chats_with_work() == []


async def test_every_step_leads_down_again(empty_url: str):
    await alembic("-x", f"url={empty_url}", "upgrade", "head")
    await alembic("-x", f"url={empty_url}", "downgrade", "base")
    engine = create_engine(empty_url, poolclass=NullPool)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert context.get_current_revision() is None


async def test_two_programs_that_start_at_once_migrate_once(empty_url: str):
    async def start() -> None:
        async with open_store(empty_url):
            pass

    await asyncio.gather(*(start() for _ in range(3)))
    assert differences(empty_url) == []


async def test_a_file_of_the_first_release_is_taken_over_with_all_it_holds(
    tmp_path: Path,
) -> None:
    url = play(RECORDED, tmp_path / "old.db")
    async with open_store(url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        group = await store.chats.at(Address("telegram", "-1002"), private=False)
        agenda = await store.journal.agenda(chat.id)
        entries = await store.journal.entries(chat.conversation)
        (owed,) = await store.outbox.owed(chat.id)
        heard, spoken = await store.voice.heard(chat.id, "7/u"), await store.voice.owed(5)
    assert [turn.id for turn in agenda.unfinished] == ["turn-1"]
    assert [entry.seq for entry in entries] == list(range(1, 9))
    assert isinstance(entries[0].body, AskerBody)
    assert entries[0].body.moment == "09:30"
    (card,) = agenda.approvals
    assert card.id == "card-1"
    assert card.preview.blocks == (
        CodeBlock("pytest -q", "sh"),
        Plain("in workspace"),
        Markdown("*for* you"),
    )
    assert owed.key == "card:card-1"
    assert owed.content.blocks == (Markdown("Run a command?"), CodeBlock("ls", "sh"))
    assert (group.title, group.settings.activation, group.settings.listens) == (
        "Team",
        Activation.ALWAYS,
        True,
    )
    assert group.moved_from == Address("telegram", "-1001")
    assert (group.settings.long_answers, group.settings.previews) == (LongAnswers.FILE, True)
    assert (group.settings.footer, group.settings.verbose, group.settings.voice) == (
        True,
        True,
        True,
    )
    assert (chat.settings.footer, chat.settings.verbose, chat.settings.voice) == (
        False,
        False,
        False,
    )
    assert (heard, len(spoken)) == ("buy milk", 1)
    today = f"sqlite:///{tmp_path / 'today.db'}"
    async with open_store(today):
        pass
    assert (shape(url), indexes(url)) == (shape(today), indexes(today))
    assert differences(url) == []


ABOUT = {
    "answer:hook-1-2": "hook-1-2",
    "calls:hook-1:all:7": "hook-1",
    "goal:hook-1:call:1:answered": "hook-1",
    "card:c-1": "c-1",
    "card:c-1@9": "c-1",
    "change:c-1@press": "c-1",
    "plan:p1:2": "p1",
    "change-plan:p1:2@9#press": "p1",
    "copy:m1:2": "hook-1",
    "heard:5:0": "hook-1",
    "unsent:answer:hook-1-2": "hook-1-2",
    "command:5": "",
    "noted:hook-1": "",
    "answer:unknown": "",
}
"""The keys of messages, numbered from 1 on, and the turn, card or plan that they are about."""


async def test_messages_texts_and_recordings_of_the_first_release_name_their_turn_too(
    empty_url: str,
):
    await alembic("-x", f"url={empty_url}", "upgrade", "0039")
    engine = create_engine(_driven(empty_url), poolclass=NullPool)
    asked = '{"text": "read_file artifact:document-0123456789abcdef has the whole"}'
    with engine.begin() as connection:
        for chat in (1, 2):
            insert(connection, "chat", id=chat, address=str(chat))
        for turn in ("hook-1", "hook-1-2"):
            insert(connection, "turn", id=turn, chat=1)
        insert(connection, "approval", id="c-1", chat=1)
        insert(connection, "plan", id="p1", chat=1)
        insert(connection, "inbox", id=5, chat=1, message_id="m/2", turn="hook-1")
        for number, key in enumerate(ABOUT, 1):
            insert(connection, "outbox", id=number, key=key, chat=1)
        insert(connection, "entry", chat=1, seq=1, turn="hook-1", body=asked)
        # A later turn read the document, and another chat only names it.
        insert(connection, "entry", chat=1, seq=2, turn="hook-1-2", body=asked)
        insert(connection, "entry", chat=2, seq=1, turn="hook-1-2", body=asked)
        for name in ("hook-1-2-af01", "document-0123456789abcdef", "other"):
            insert(connection, "artifact", id=name, chat=1)
        for key in ("m/2/file/7", "m3/file/7"):
            insert(connection, "hearing", chat=1, key=key)
    async with open_store(empty_url):
        pass
    with engine.connect() as connection:
        told = connection.execute(text("SELECT key, about FROM outbox ORDER BY id")).all()
        aside = connection.execute(text("SELECT id, turn FROM artifact ORDER BY id")).all()
        heard = connection.execute(text("SELECT key, message FROM hearing ORDER BY key")).all()
    assert {key: about for key, about in told} == ABOUT
    assert [tuple(row) for row in aside] == [
        ("document-0123456789abcdef", "hook-1"),
        ("hook-1-2-af01", "hook-1-2"),
        ("other", ""),
    ]
    assert [tuple(row) for row in heard] == [("m/2/file/7", "m/2"), ("m3/file/7", "m3")]


def _driven(url: str) -> URL:
    return make_url(url).set(
        drivername="sqlite" if url.startswith("sqlite") else "postgresql+psycopg"
    )


def test_a_migration_never_changes_after_its_release():
    """Each database must have taken the same way; what is wrong in one, a later one puts right."""
    versions = sorted((ROOT / "alembic" / "versions").glob("*.py"))
    digests = {one.name[:4]: sha256(one.read_bytes()).hexdigest() for one in versions}
    assert digests == RELEASED


@pytest.mark.parametrize("upgrade", [True, False])
@pytest.mark.parametrize("revision", ["0001", "0019", "0038"])
async def test_a_file_from_before_the_first_release_is_refused_and_stays_as_it_is(
    tmp_path: Path, revision: str, upgrade: bool
) -> None:
    path = tmp_path / "old.db"
    url = play(RECORDED, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        connection.commit()
    before = dump(path)
    with pytest.raises(StoreOutgrown, match=f"revision {revision}.*start Steward once"):
        async with open_store(url, upgrade=upgrade):
            pass
    assert dump(path) == before


async def test_an_empty_file_that_is_only_looked_at_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    path.touch()
    with pytest.raises(StoreTooOld, match="it is empty"):
        async with open_store(f"sqlite:///{path}", upgrade=False):
            pass
    assert dump(path) == dump(tmp_path / "another.db")


async def test_todays_database_can_be_looked_at(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    async with open_store(url):
        pass
    async with open_store(url, upgrade=False) as store:
        assert list(await store.people.accounts()) == []


@pytest.mark.parametrize("revision", ["9999", "a revision of a fork"])
async def test_a_newer_database_is_left_alone(tmp_path: Path, revision: str):
    path = tmp_path / "new.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
        connection.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
        connection.commit()
    with pytest.raises(StoreTooNew):
        async with open_store(f"sqlite:///{path}"):
            pass
    assert len(differences(f"sqlite:///{path}")) > 0


async def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path: Path):
    path = tmp_path / "strange.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE verdict (of_another_program TEXT)")
        connection.commit()
    with pytest.raises(StoreError):
        async with open_store(f"sqlite:///{path}"):
            pass
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master").fetchall()
    assert tables == [("verdict",)]


async def test_the_library_is_loaded_only_when_a_migration_is_due(tmp_path: Path):
    url = f"sqlite:///{tmp_path / 'store.db'}"
    async with open_store(url):
        pass
    code = (
        "import asyncio, sys\n"
        "from bot.adapters.sql.store import open_store\n"
        "async def look():\n"
        f"    async with open_store({url!r}):\n"
        "        print(any(name.startswith('alembic') for name in sys.modules))\n"
        "asyncio.run(look())\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    told, _ = await process.communicate()
    assert told.strip() == b"False"


@pytest.mark.postgres
async def test_of_several_processes_that_start_at_once_one_makes_the_tables(
    empty_schema: str,
) -> None:
    async def opened() -> None:
        async with open_store(empty_schema) as store:
            assert await store.people.accounts() == []

    await asyncio.gather(*(opened() for _ in range(4)))


async def test_a_migration_that_dies_at_any_statement_leaves_the_old_database(
    tmp_path: Path,
) -> None:
    play(RECORDED, tmp_path / "old.db")
    (tmp_path / "copies").mkdir()
    arguments = ("-m", "tests.migrations.dying", str(tmp_path / "old.db"), str(tmp_path / "copies"))
    process = await asyncio.create_subprocess_exec(
        sys.executable, *arguments, stdout=asyncio.subprocess.PIPE, cwd=ROOT
    )
    told, _ = await process.communicate()
    assert process.returncode == 0
    count, _, odd = told.decode().partition(" deaths\n")
    assert (int(count) > 20, odd) == (True, "")


async def test_a_disk_that_is_full_in_the_middle_of_a_migration_leaves_the_old_database(
    tmp_path: Path,
) -> None:
    path = tmp_path / "old.db"
    url = play(RECORDED, path)
    before = dump(path)
    full = 0
    while True:
        with closing(sqlite3.connect(path)) as connection:
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
        most = pages + 5 * full

        def cramp(connection: sqlite3.Connection, _: object, most: int = most) -> None:
            connection.execute(f"PRAGMA max_page_count = {most}")

        event.listen(Engine, "connect", cramp)
        try:
            async with open_store(url):
                break
        except StoreUnwritable:
            pass
        finally:
            event.remove(Engine, "connect", cramp)
        full += 1
        assert dump(path) == before
    assert full > 2
    assert differences(url) == []


def test_an_upgrade_says_how_far_it_is_and_how_long_the_rest_may_take() -> None:
    now = [0.0]
    course = Course(4, 10.0, lambda: now[0])
    assert course.told == "Upgrading: step 1 of 4, 0 s so far, about 40 s more."
    now[0] = 6.0
    course.step_done("0040")
    assert course.told == "Upgrading: step 2 of 4, 6 s so far, about 18 s more."
    now[0] = 30.0
    assert course.told == "Upgrading: step 2 of 4, 30 s so far, longer than expected."
    for revision in ("0041", "0042", "0043"):
        course.step_done(revision)
    assert course.told == "Upgrading: step 4 of 4, 30 s so far, nearly done."


async def test_the_steps_of_a_migration_are_told_one_by_one(tmp_path: Path) -> None:
    url = play(RECORDED, tmp_path / "old.db")
    ahead: list[str] = []
    done: list[str] = []

    @contextmanager
    def before(revision: str, steps: Sequence[str]) -> Iterator[Callable[[str], None]]:
        ahead.extend((revision, *steps))
        yield done.append

    async with open_store(url, serving=ServingProcess(before=before)):
        pass
    assert tuple(ahead) == REVISIONS
    assert tuple(done) == REVISIONS[1:]
