"""An upgrade copies the database first, and `steward rollback` goes back to that copy."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from bot.adapters.sql.carrying import carry, clear, counted
from bot.adapters.sql.migrating import REVISIONS, upgrade
from bot.adapters.sql.moment import change_of, moment_of
from tests.e2e.steward import Steward
from tests.e2e.test_backup import server, url
from tests.standins.messages_api import text

__all__ = ["server", "url"]
pytestmark = pytest.mark.flows_own("the command line reads and writes the store")

RECORDED = Path(__file__).parents[1] / "migrations" / "first_release.sql"


def revision_at(url: str) -> str:
    with moment_of(url) as connection:
        return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()


def as_of_the_first_release(url: str, folder: Path) -> None:
    """Fill a database with what a program of the first release left behind."""
    old = folder / "old.db"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript(RECORDED.read_text("utf-8"))
    if url.startswith("sqlite"):
        old.rename(url.partition(":///")[2])
        return
    with moment_of(f"sqlite:///{old}") as source, change_of(url) as target:
        clear(target)
        upgrade(target, "0039")
        carry(source, target)


async def test_an_upgrade_copies_first_and_rollback_goes_back_to_the_copy(
    url: str, steward: Steward
) -> None:
    as_of_the_first_release(url, steward.folder)
    # A task of then is due, too.
    steward.model.script.rule(lambda _: text("Blue."))
    await steward.start()
    steward.say("Which colour?")
    await steward.sees("Blue.")
    await steward.stop()
    assert "The database is upgraded. I copy it first" in steward.output
    (copy,) = (steward.home / "backups").glob("before-upgrade-*.db")
    assert (copy.stat().st_mode & 0o777, revision_at(url)) == (0o600, REVISIONS[-1])
    code, told = await steward.printed_by("rollback")
    assert (code, "add --yes" in told) == (2, True)
    code, told = await steward.printed_by("rollback", "--yes")
    assert (code, "Lost by it: 1 messages and presses" in told) == (0, True), told
    assert revision_at(url) == "0039"
    (kept,) = (steward.home / "backups").glob("rolled-back-*.db")
    with moment_of(f"sqlite:///{copy}") as before, moment_of(f"sqlite:///{kept}") as after:
        assert counted(after)["inbox"] == counted(before)["inbox"] + 1
    code, told = await steward.printed_by("rollback", "--yes")
    assert (code, "is back already" in told) == (2, True)
    await steward.start()
    assert revision_at(url) == REVISIONS[-1]
