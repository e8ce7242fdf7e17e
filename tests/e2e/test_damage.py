"""A database that cannot work: at the start it is told at once, damage is told in the chat, too."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.records import Records
from tests.e2e.steward import Steward
from tests.standins.messages_api import text

pytestmark = pytest.mark.telegrams_own("the store is the same below every platform")
DAMAGED, CANNOT_WORK = 65, 75
TOLD = "My database is damaged"
PLACES = ("inbox", "chat", "entry", "usage", "ix_turn_at_work")


def damage(file: Path, name: str) -> None:
    """Writes over the first page of a table or an index."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        wanted = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (page,) = connection.execute(wanted, (name,)).fetchone()
    with file.open("r+b") as written:
        written.seek((page - 1) * size)
        written.write(b"\xa5" * size)


async def lived(steward: Steward) -> None:
    """Has the program answer once, and ends it."""
    steward.script(text("Good morning."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Good morning.")
    await steward.recorded()
    await steward.stop()


@pytest.mark.parametrize("place", PLACES)
async def test_owners_are_told_of_a_damaged_page_once_and_the_program_ends(
    steward: Steward, place: str
) -> None:
    await lived(steward)
    damage(steward.records.path, place)
    steward.records = Records(steward.home / "none.db")
    assert await steward.exit_code("run") == DAMAGED
    await steward.sees(TOLD)
    assert "back from a backup" in steward.output.splitlines()[-1], "an operator sees what to do"
    assert await steward.exit_code("run") == DAMAGED
    assert len(steward.showing(TOLD)) == 1


async def test_the_newest_backup_is_named_where_the_damage_is_told(steward: Steward) -> None:
    await lived(steward)
    folder = steward.home / "backups"
    folder.mkdir()
    for day in ("20261101", "20261120"):
        (folder / f"steward-{day}-020304-auto.tar.gz").touch()
    damage(steward.records.path, "entry")
    steward.records = Records(steward.home / "none.db")
    assert await steward.exit_code("run") == DAMAGED
    newest = f"{folder / 'steward-20261120-020304-auto.tar.gz'}, of 2026-11-20 02:03 UTC"
    assert newest in (await steward.sees(TOLD)).text
    assert newest in steward.output.splitlines()[-1]


def garble(file: Path, words: bytes, by: bytes) -> None:
    """Writes over words of rows, and leaves every page sound."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = file.read_bytes()
    assert words in data
    file.write_bytes(data.replace(words, by * len(words)))


@pytest.mark.parametrize(
    ("words", "by"), [(b"Good mor", b"\xa5"), (b'"kind":', b"~")], ids=["text", "form"]
)
async def test_owners_are_told_of_a_row_that_cannot_be_read(
    steward: Steward, words: bytes, by: bytes
) -> None:
    await lived(steward)
    garble(steward.records.path, words, by)
    steward.records = Records(steward.home / "none.db")
    code, printed = await steward.printed_by("doctor")
    assert code == 1
    assert "The database is damaged: " in printed
    assert "Good" not in printed
    steward.say("Hello again")
    assert await steward.exit_code("run") == DAMAGED
    await steward.sees(TOLD)
    assert "Traceback" not in steward.output


async def test_a_damaged_index_of_words_is_made_anew_and_ends_nothing(steward: Steward) -> None:
    await lived(steward)
    damage(steward.records.path, "passage_words_data")
    steward.script(text("Good evening."))
    await steward.start()
    steward.say("Hello")
    await steward.sees("Good evening.")
    await steward.recorded()
    done = "SELECT count(*) FROM passage WHERE indexed"
    await steward.eventually(lambda: steward.records.rows(done) == [(2,)])
    assert len(steward.records.rows("SELECT 1 FROM passage_words")) == 2
    assert steward.showing(TOLD) == []


async def test_a_file_that_is_no_database_is_told_in_the_chat(steward: Steward) -> None:
    (steward.home / "steward.db").write_bytes(b"no database" * 1000)
    steward.records = Records(steward.home / "none.db")
    assert await steward.exit_code("run") == DAMAGED
    await steward.sees(TOLD)


async def test_a_database_that_somebody_else_locks_is_no_wrong_setting(steward: Steward) -> None:
    await lived(steward)
    with steward.records.locked():
        assert await steward.exit_code("run") == CANNOT_WORK
    assert "The database is in use by another program" in steward.output


async def test_a_database_that_is_no_file_to_write_is_no_wrong_setting(
    steward: Steward, tmp_path: Path
) -> None:
    (tmp_path / "blocked" / "steward.db").mkdir(parents=True)
    steward.settings |= {"STEWARD_DATABASE_URL": f"sqlite:///{tmp_path}/blocked/steward.db"}
    assert await steward.exit_code("run") == CANNOT_WORK
    assert "The database cannot be read or written" in steward.output
