"""Databases of every age are brought to today's tables, and newer ones are left alone."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias
from uuid import uuid4

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import CommandLine, Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import NullPool, create_engine, make_url, text

from bot.adapters.sql.migrating import REVISIONS, migrate
from bot.adapters.sql.store import open_store
from bot.adapters.sql.tables import whole_metadata
from bot.domain.change import (
    AddUsage,
    Append,
    Change,
    ChooseSkill,
    InboundState,
    MarkInbound,
    SavePlan,
)
from bot.domain.money.budget import CallKind, Cause
from bot.domain.money.model import Usage
from bot.domain.plans.plan import PlanState
from bot.domain.talk.bundle import Seam
from bot.domain.talk.chat import Activation, LongAnswers
from bot.domain.talk.errors import StoreError, StoreTooNew, StoreTooOld
from bot.domain.talk.message import Address, CodeBlock, Markdown, Plain, RawUpdate
from bot.domain.turn.mandate import PERSONAL
from bot.domain.turn.transcript import AskerBody
from bot.ports.ledger import By, Spender
from tests.contracts.store_samples import NOW, a_plan, a_step, an_entry

ROOT = Path(__file__).parents[2]
Shape: TypeAlias = list[tuple[str, str, str, str]]
RECORDED = sorted(Path(__file__).parent.glob("revision_*.sql"))


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


@pytest.fixture(scope="session")
def todays_shape(tmp_path_factory: pytest.TempPathFactory) -> Shape:
    """The shape of a file that was made today, in which autogenerate would change nothing."""
    path = tmp_path_factory.mktemp("today") / "store.db"
    engine = create_engine(f"sqlite:///{path}", poolclass=NullPool)
    with engine.begin() as connection:
        migrate(connection)
    assert differences(f"sqlite:///{path}") == []
    return shape(path)


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


def shape(path: Path) -> Shape:
    """The tables and indexes of a database file, as its statements made them."""
    wanted = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY type, name"
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(wanted).fetchall()


def stored_body(url: str) -> str:
    """The text of the only entry, as it lies in the database."""
    engine = create_engine(url, poolclass=NullPool)
    with engine.connect() as connection:
        return connection.execute(text("SELECT body FROM entry")).scalar_one()


async def alembic(*arguments: str) -> None:
    """Runs the library's command line as `python -m alembic` does, in this process."""
    await asyncio.to_thread(
        CommandLine("alembic").main, ["-c", str(ROOT / "alembic.ini"), *arguments]
    )


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


def test_a_database_of_every_revision_is_recorded():
    assert [path.stem.removeprefix("revision_") for path in RECORDED] == list(REVISIONS)


@pytest.mark.parametrize("recorded", RECORDED, ids=lambda path: path.stem)
async def test_an_old_file_is_upgraded_with_all_it_holds(
    recorded: Path, tmp_path: Path, todays_shape: Shape
):
    url = play(recorded, tmp_path / "old.db")
    async with open_store(url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        agenda = await store.journal.agenda(chat.id)
        entries = await store.journal.entries(chat.conversation)
        (owed,) = await store.outbox.owed(chat.id)
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
    assert shape(tmp_path / "old.db") == todays_shape


async def test_chats_and_cards_of_the_first_revision_want_what_they_wanted(tmp_path: Path):
    url = play(RECORDED[0], tmp_path / "old.db")
    async with open_store(url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        card = await store.approvals.get("card-1")
    assert (chat.title, chat.settings.activation, chat.settings.listens) == (
        "",
        Activation.MENTION,
        False,
    )
    assert card is not None
    assert card.asker_name == ""


async def test_a_group_of_the_second_revision_is_as_it_was(tmp_path: Path):
    url = play(RECORDED[1], tmp_path / "old.db")
    async with open_store(url) as store:
        group = await store.chats.at(Address("telegram", "-1002"), private=False)
    assert (group.title, group.settings.activation, group.settings.listens) == (
        "Team",
        Activation.ALWAYS,
        True,
    )
    assert group.moved_from == Address("telegram", "-1001")


async def test_a_group_of_the_fourth_revision_gets_its_answers_as_it_did(tmp_path: Path):
    url = play(RECORDED[3], tmp_path / "old.db")
    async with open_store(url) as store:
        group = await store.chats.at(Address("telegram", "-1002"), private=False)
        home = await store.chats.at(Address("telegram", "42"), private=True)
    assert (group.settings.long_answers, group.settings.previews) == (LongAnswers.FILE, True)
    assert (home.settings.long_answers, home.settings.previews) == (LongAnswers.MESSAGES, False)


@pytest.mark.parametrize(("revision", "wanted"), [(17, False), (18, True)])
async def test_a_group_has_its_footer_from_the_eighteenth_revision_on(
    tmp_path: Path, revision: int, wanted: bool
):
    url = play(RECORDED[revision - 1], tmp_path / "old.db")
    async with open_store(url) as store:
        group = await store.chats.at(Address("telegram", "-1002"), private=False)
        home = await store.chats.at(Address("telegram", "42"), private=True)
    assert (group.settings.footer, home.settings.footer) == (wanted, False)


@pytest.mark.parametrize(("revision", "wanted"), [(32, False), (33, True)])
async def test_a_group_shows_tool_calls_from_the_thirty_third_revision_on(
    tmp_path: Path, revision: int, wanted: bool
):
    url = play(RECORDED[revision - 1], tmp_path / "old.db")
    async with open_store(url) as store:
        group = await store.chats.at(Address("telegram", "-1002"), private=False)
        home = await store.chats.at(Address("telegram", "42"), private=True)
    assert (group.settings.verbose, home.settings.verbose) == (wanted, False)


@pytest.mark.parametrize(("revision", "wanted"), [(22, False), (23, True)])
async def test_a_group_has_its_voice_from_the_twenty_third_revision_on(
    tmp_path: Path, revision: int, wanted: bool
):
    url = play(RECORDED[revision - 1], tmp_path / "old.db")
    async with open_store(url) as store:
        group = await store.chats.at(Address("telegram", "-1002"), private=False)
        home = await store.chats.at(Address("telegram", "42"), private=True)
        heard, owed = await store.voice.heard(home.id, "7/u"), await store.voice.owed(5)
    assert (group.settings.voice, home.settings.voice) == (wanted, False)
    assert (heard, len(owed)) == (("buy milk", 1) if wanted else (None, 0))


async def test_steps_of_a_live_plan_get_the_skill_they_would_have_run_under(empty_url: str):
    async with open_store(empty_url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        over = a_plan(chat, "over", state=PlanState.DONE, steps=(a_step(1),))
        live = a_plan(chat, "live", steps=(a_step(1), a_step(2, skill="another", lender="third")))
        plans = (SavePlan(over, steps=over.steps), SavePlan(live, steps=live.steps))
        await store.journal.commit(Change((ChooseSkill(chat.id, "minutes"), *plans)))
    await alembic("-x", f"url={empty_url}", "downgrade", "0009")
    async with open_store(empty_url) as store:
        found = [await store.plans.get(id) for id in ("over", "live")]
    needs = [[step.needs for step in plan.steps] for plan in found if plan is not None]
    assert needs == [[()], [("minutes",), ("minutes",)]]


async def test_dollars_of_the_twentieth_revision_become_billionths(empty_url: str):
    cause = Cause(CallKind.ANSWER, None, 1, "turn-1")
    used = [
        AddUsage("call-1", cause, "m", NOW, Usage(1, 2, 3, 4), 10_000_000),
        AddUsage("call-2", cause, "m", NOW, Usage(1), 1),
        AddUsage("call-3", cause, "free", NOW, Usage(1), None),
    ]
    async with open_store(empty_url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        rows = (replace(one, cause=replace(cause, chat=chat.id)) for one in used)
        await store.journal.commit(Change(tuple(rows)))
    await alembic("-x", f"url={empty_url}", "downgrade", "0020")
    async with open_store(empty_url) as store:
        assert await store.ledger.total(NOW, Spender(chat.id)) == 10_000_001
        bills = await store.ledger.bills([NOW], By.MODEL, Spender(chat.id))
    assert [(b.of, b.calls, b.cost, b.unknown) for b in bills] == [
        ("free", 1, 0, 1),
        ("m", 2, 10_000_001, 0),
    ]


async def test_a_message_in_fragments_of_the_tenth_revision_keeps_what_was_counted(empty_url: str):
    # The text says what the stored names are: it is none of them, and stays as it was written.
    seam = Seam("telegram:42", 3, NOW, messages=3, characters=13)
    body = AskerBody('He said: "pieces":3, "messages":3', "Ann", seam=seam)
    async with open_store(empty_url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        await store.inbox.accept("telegram", [RawUpdate("1", "{}"), RawUpdate("2", "{}")], NOW)
        waits = [
            MarkInbound(
                row.id, InboundState.WAITING, (InboundState.NEW,), chat.id, fragment=bool(late)
            )
            for late, row in enumerate(await store.inbox.unrouted(2))
        ]
        writes = (Append(chat.id, (an_entry(chat, 1, body),)), *waits)
        fence = await store.journal.claim(chat.id)
        await store.journal.commit(Change(writes, fence))
    await alembic("-x", f"url={empty_url}", "downgrade", "0010")
    assert '"pieces":3,"characters":13' in stored_body(empty_url)
    async with open_store(empty_url) as store:
        (entry,) = await store.journal.entries(chat.conversation)
        rows = await store.inbox.waiting(chat.id)
    assert entry.body == body
    assert [row.fragment for row in rows] == [False, True]


async def test_a_message_of_the_thirteenth_revision_keeps_its_moment(empty_url: str):
    # The text says what the stored names are: it is none of them, and stays as it was written.
    body = AskerBody('He said: "context":"now", "moment":"then"', "Ann", moment="Monday")
    async with open_store(empty_url) as store:
        chat = await store.chats.at(Address("telegram", "42"), private=True)
        fence = await store.journal.claim(chat.id)
        await store.journal.commit(Change((Append(chat.id, (an_entry(chat, 1, body),)),), fence))
    await alembic("-x", f"url={empty_url}", "downgrade", "0013")
    assert '"context":"Monday"' in stored_body(empty_url)
    async with open_store(empty_url) as store:
        (entry,) = await store.journal.entries(chat.conversation)
    assert entry.body == body


async def test_an_old_database_that_is_only_looked_at_stays_as_it_is(tmp_path: Path):
    path = tmp_path / "old.db"
    url = play(RECORDED[0], path)
    before = dump(path)
    with pytest.raises(StoreTooOld, match=f"{REVISIONS[0]} of {REVISIONS[-1]}"):
        async with open_store(url, upgrade=False):
            pass
    assert dump(path) == before


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


_OF_OLD = """
UPDATE task SET allowed = 'readonly';
UPDATE errand SET parent = 'task-2e1f', untrusted = 'a page', budget = 5;
CREATE TEMP TABLE old AS SELECT * FROM turn WHERE id = 'turn-1';
UPDATE old SET id = 'task-2e1f', origin = 'task', state = 'settled';
INSERT INTO turn SELECT * FROM old;
UPDATE old SET id = 'hook-one', origin = 'hook';
INSERT INTO turn SELECT * FROM old;
UPDATE old SET id = '7a5b2c9d1e3f4a6b', origin = 'errand', parent = 'task-2e1f';
INSERT INTO turn SELECT * FROM old;
CREATE TEMP TABLE card AS SELECT * FROM approval WHERE id = 'card-1';
UPDATE card SET id = 'card-2', token = 'two', position = 1;
INSERT INTO approval SELECT * FROM card;
UPDATE card SET id = 'card-3', token = 'three', position = 0, created_at = '2026-11-22 09:30:00';
INSERT INTO approval SELECT * FROM card;
"""


async def test_turns_and_cards_of_before_get_their_bounds_and_their_rounds(tmp_path: Path):
    url = play(RECORDED[32], tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db")) as connection:
        connection.executescript(_OF_OLD)
    async with open_store(url) as store:
        names = ("turn-1", "task-2e1f", "hook-one", "7a5b2c9d1e3f4a6b")
        turns = [await store.turns.get(name) for name in names]
        cards = await store.approvals.of_turn("turn-1")
    reads = PERSONAL.narrowed(readonly=True)
    errands = reads.narrowed(tools=("read_file",), foreign="a page", money=5)
    assert [turn and turn.mandate for turn in turns] == [PERSONAL, reads, reads, errands]
    assert [(card.id, card.asked_with) for card in cards] == [
        ("card-1", "card-1"),
        ("card-2", "card-1"),
        ("card-3", "card-3"),
    ]
