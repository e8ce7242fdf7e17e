"""`steward backup` beside a running Steward, and `steward verify` of a home and of the file."""

import gzip
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

import pytest

from bot.adapters.sql.carrying import difference
from bot.adapters.sql.moment import change_of, moment_of
from bot.adapters.sql.snapshot import take
from bot.adapters.sql.tables import METADATA
from bot.adapters.sql.verifying import mend, verified
from bot.domain.text.visible_text import size
from tests.e2e.records import ServerRecords
from tests.e2e.steward import KEY, Steward
from tests.ports import free_port
from tests.standins.bot_api import TOKEN
from tests.standins.messages_api import Reply, calls, text, tool
from tests.words import APPROVE, EVERYTHING_HOLDS

pytestmark = pytest.mark.flows_own("the command line reads the store")

SECRET = "correct horse"
MOVED = "rows were copied, and each is the same."


def note(what: str) -> Reply:
    return calls(tool("write_file", {"path": f"{what}.md", "content": what}))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def server(request: pytest.FixtureRequest) -> str:
    """A database of a server, which outlives the program; empty where a file is used."""
    return "" if request.param == "sqlite" else request.getfixturevalue("own_postgres_url")


@pytest.fixture
def url(server: str, steward: Steward) -> str:
    """The address of the database that the program uses."""
    if not server:
        return f"sqlite:///{steward.home / 'steward.db'}"
    steward.records = ServerRecords(server)
    steward.settings["STEWARD_DATABASE_URL"] = server
    return server


async def talk(steward: Steward) -> None:
    """Leaves an answer, a carried out call and an open card behind."""
    await steward.start()
    steward.script(text("Blue."), note("milk"), text("Written."), note("bread"))
    steward.say("Which colour?")
    await steward.sees("Blue.")
    steward.say("Note milk.")
    steward.press(await steward.card(), APPROVE)
    await steward.sees("Written.")
    steward.say("Note bread.")
    await steward.card(about="bread")
    await steward.recorded()
    await steward.eventually(
        lambda: steward.records.rows("SELECT count(*) FROM passage WHERE indexed") == [(2,)]
    )


def raw_names_in(told: str) -> list[str]:
    """The lines that begin with the name of a table, which no person knows."""
    return [line for line in told.splitlines() if line.partition(":")[0] in METADATA.tables]


async def test_a_backup_beside_a_running_program_holds_everything_but_secrets(
    url: str, steward: Steward
) -> None:
    await talk(steward)
    os.mkfifo(steward.workspace / "pipe")
    (steward.workspace / "way").symlink_to("/etc/passwd")
    file = steward.folder / "b.tar.gz"
    code, told = await steward.printed_by("backup", str(file))
    assert (code, "Left out: workspace/pipe" in told, "ANTHROPIC_API_KEY" in told) == (
        0,
        True,
        True,
    )
    assert file.stat().st_mode & 0o777 == 0o600
    assert f"{file}: {size(file.stat().st_size)}.\n" in told
    assert "0.0 MB" not in told
    assert ("Copied: 2 cards." in told, raw_names_in(told)) == (url.startswith("postgres"), [])
    content = gzip.decompress(file.read_bytes())
    assert not any(secret.encode() in content for secret in (KEY, TOKEN))
    assert b"workspace/milk.md" in content
    sealed = steward.folder / "s.tar.gz"
    given = {"BACKUP_PASSPHRASE": SECRET}
    code, _ = await steward.printed_by("backup", str(sealed), "--with-secrets", **given)
    assert code == 0
    assert not any(s.encode() in gzip.decompress(sealed.read_bytes()) for s in (KEY, TOKEN))
    for proven in ((), (str(file),), (str(sealed),)):
        code, told = await steward.printed_by("verify", *proven)
        assert (code, EVERYTHING_HOLDS in told) == (0, True), told
    copy = steward.folder / "copy.db"
    take(url, copy)
    with moment_of(url) as live, moment_of(f"sqlite:///{copy}") as copied:
        told = difference(live, copied)
        # The copy of a server owes all answers to an index of its own.
        assert told.partition(" ")[0] in ("", "passage")
    code, told = await steward.printed_by("backup", str(file))
    assert (code, "not written over" in told) == (2, True)
    file.write_bytes(file.read_bytes()[:-100])
    code, told = await steward.printed_by("verify", str(file))
    assert (code, "cut off" in told) == (65, True)


BROKEN: Sequence[tuple[str, str, bool]] = (
    ("UPDATE chat SET last_seq = last_seq + 3", "does not end where its row says", True),
    ("UPDATE chat SET fence = 0", "never owned", True),
    ("UPDATE entry SET turn = 'gone' WHERE seq = 1", "lines of a turn that is missing", False),
    ("UPDATE approval SET turn = 'gone'", "A card belongs", False),
    ("UPDATE inbox SET turn = 'gone' WHERE turn IS NOT NULL", "A message was taken by", False),
    ("UPDATE turn SET stop_reason = NULL", "A turn is over without a reason", False),
    ("UPDATE approval SET turn_settled = NOT turn_settled", "does not know the state", True),
    ("UPDATE outbox SET version = version + 1", "its newest words were not", True),
    ("UPDATE outbox SET shown_version = shown_version + 9", "a version that it does not", True),
    ("UPDATE outbox SET copy_of = 999999", "the copy of one that is missing", True),
    ('DELETE FROM entry WHERE body LIKE \'%"kind":"result"%\'', "has no result", False),
    (
        "INSERT INTO entry SELECT chat, seq + 900, conversation, turn, at, body FROM entry"
        ' WHERE body LIKE \'%"kind":"result"%\'',
        "A result has no call",
        False,
    ),
    ("DELETE FROM passage_words", "the index of words does not have it", True),
    (
        'UPDATE entry SET body = \'{"kind":"asker","speaker":"",'
        '"text":"[erased 2026-11-28]"}\' WHERE body LIKE \'%Which colour%\'',
        "Words of erased turns are still there",
        True,
    ),
    ("UPDATE entry SET body = '{}' WHERE seq = 1", "A row of entry cannot be read", False),
)


async def test_verify_finds_each_fault_and_sets_right_what_can_be(
    url: str, steward: Steward
) -> None:
    await talk(steward)
    await steward.stop()
    with moment_of(url) as connection:
        assert list(verified(connection)) == []
    for break_it, words, can_mend in BROKEN:
        with suppress(_TakenBack), change_of(url) as connection:
            connection.exec_driver_sql(break_it.replace("%", "%%"))
            found = [flaw for flaw in verified(connection) if words in flaw.told]
            assert [flaw.can_mend for flaw in found] == [can_mend], break_it
            if can_mend:
                mend(connection)
                assert [flaw for flaw in verified(connection) if words in flaw.told] == []
            raise _TakenBack
    with change_of(url) as connection:
        connection.exec_driver_sql("UPDATE chat SET last_seq = last_seq + 3")
    code, told = await steward.printed_by("verify")
    assert (code, told.count("fault")) == (1, 1)
    code, told = await steward.printed_by("verify", "--fix")
    assert (code, "fixed" in told, EVERYTHING_HOLDS in told) == (0, True, True)


class _TakenBack(Exception):
    """Ends a change that nobody keeps."""


async def test_no_command_changes_rows_that_another_home_works_with(
    url: str, steward: Steward
) -> None:
    await steward.start()
    other = {"STEWARD_HOME": str(steward.folder / "other"), "STEWARD_DATABASE_URL": url}
    for order in (("verify", "--fix"), ("rollback", "--yes")):
        code, told = await steward.printed_by(*order)
        assert (code, "Steward runs already" in told) == (2, True), told
        assert "Stop it, then try again." in told
        code, told = await steward.printed_by(*order, **other)
        assert (code, "Another Steward" in told) == (2, True), told
    if not url.startswith("sqlite"):
        code, told = await steward.printed_by("move", "sqlite", **other)
        assert (code, "Another Steward" in told) == (2, True), told
    code, told = await steward.printed_by("doctor", "--fix", **other)
    assert "The rows were not touched. Another Steward" in told
    await steward.stop()
    code, told = await steward.printed_by("verify", "--fix", **other)
    assert code == 0, told


async def test_a_damaged_page_is_found(steward: Steward) -> None:
    await talk(steward)
    await steward.stop()
    file = steward.home / "steward.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'ix_entry_conversation'"
        ).fetchone()
    with file.open("r+b") as raw:
        raw.seek((page - 1) * 4096)
        raw.write(b"\xff" * 200)
    code, told = await steward.printed_by("verify")
    assert (code, "is damaged" in told) == (65, True)
    code, told = await steward.printed_by("backup", str(Path(steward.folder, "b.tar.gz")))
    assert (code, "damaged" in told) == (65, True)


async def test_a_running_program_makes_backups_at_set_times_and_keeps_as_many_as_told(
    steward: Steward,
) -> None:
    folder = steward.home / "backups"
    code, told = await steward.printed_by("backup", "--every", "day", "--keep", "1")
    assert (code, "makes a backup every day and keeps the newest 1" in told) == (0, True)
    old, mine = (folder / f"steward-20260101-000000{mark}.tar.gz" for mark in ("-auto", ""))
    for file in (old, mine):
        file.write_bytes(b"")
    code, told = await steward.printed_by("doctor")
    assert "although one is made every day" in told
    await steward.start()
    await steward.eventually(lambda: not old.exists())
    (new,) = folder.glob("*-auto.tar.gz")
    assert mine.exists()
    code, told = await steward.printed_by("verify", str(new))
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told


async def test_a_home_that_is_not_there_yet_is_opened_to_nobody(steward: Steward) -> None:
    home = steward.folder / "new"
    given = {"STEWARD_HOME": str(home)}
    code, told = await steward.printed_by("backup", **given)
    assert (code, "There is no database" in told, home.exists()) == (2, True, False)
    code, told = await steward.printed_by("backup", "--every", "day", **given)
    assert (code, home.stat().st_mode & 0o777) == (0, 0o700), told


@pytest.mark.postgres
async def test_a_server_to_move_to_that_is_away_is_named_and_no_setting(steward: Steward) -> None:
    code, told = await steward.printed_by("move", f"postgresql://nobody@127.0.0.1:{free_port()}/x")
    assert (code, "The database to move to cannot be used: PostgreSQL at" in told) == (75, True)
    assert "STEWARD_DATABASE_URL" not in told


@pytest.mark.postgres
async def test_all_rows_move_to_a_server_and_back(own_postgres_url: str, steward: Steward) -> None:
    await talk(steward)
    await steward.stop()
    file, old = steward.home / "steward.db", steward.folder / "old.db"
    code, told = await steward.printed_by("move", own_postgres_url)
    assert (code, MOVED in told) == (0, True), told
    assert ("Copied: 2 cards." in told, raw_names_in(told)) == (True, [])
    code, told = await steward.printed_by("move", own_postgres_url)
    assert (code, "is not written over" in told) == (2, True), told
    there = {"STEWARD_DATABASE_URL": own_postgres_url}
    code, told = await steward.printed_by("verify", **there)
    assert (code, EVERYTHING_HOLDS in told) == (0, True), told
    code, told = await steward.printed_by("move", f"sqlite:///{old}", **there)
    assert (code, "or sqlite for the file in the home." in told, old.exists()) == (2, True, False)
    file.rename(old)
    code, told = await steward.printed_by("verify", str(steward.home), **there)
    assert (code, EVERYTHING_HOLDS in told) == (0, True), "not the file from before"
    code, told = await steward.printed_by("move", "sqlite", **there)
    assert (code, MOVED in told) == (0, True), told
    with moment_of(f"sqlite:///{old}") as before, moment_of(f"sqlite:///{file}") as now:
        told = difference(before, now)
        assert told.partition(" ")[0] in ("", "passage")
    await steward.start()
    steward.script(text("Bread, too."))
    steward.press(await steward.card(about="bread"), APPROVE)
    await steward.sees("Bread, too.")
    assert (steward.workspace / "bread.md").read_text() == "bread"
