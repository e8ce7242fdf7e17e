"""An upgrade copies the database first, and `steward rollback` goes back to that copy."""

import asyncio
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.adapters.sql.carrying import carry, clear, counted
from bot.adapters.sql.migrating import REVISIONS, revision_of, upgrade
from bot.adapters.sql.moment import change_of, moment_of
from bot.adapters.sql.store import ServingProcess, open_store
from bot.bootstrap.upgrading import copied_first
from bot.domain.talk.errors import CopyUnwritable
from bot.settings import Settings, read_settings
from tests.e2e.steward import Steward
from tests.e2e.test_backup import note, server, url
from tests.lacking import missing
from tests.processes import ending_well
from tests.standins.messages_api import ReceivedRequest, Reply, text
from tests.words import APPROVE

__all__ = ["server", "url"]
pytestmark = pytest.mark.flows_own("the command line reads and writes the store")

ROOT = Path(__file__).parents[2]
RECORDED = ROOT / "tests" / "migrations" / "first_release.sql"
FIRST = "2dd6c304e090"
"""The commit of 0.2.0."""


def revision_at(url: str) -> str:
    with moment_of(url) as connection:
        return revision_of(connection) or ""


def settings_of(steward: Steward) -> Settings:
    return read_settings(steward.settings, steward.folder, home=steward.home)


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


class OldProgram:
    """The program of 0.2.0, from the history of this checkout, in the home of another one."""

    def __init__(self, source: Path, steward: Steward) -> None:
        self._source = source
        self._steward = steward

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        with (self._steward.folder / "old.txt").open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "bot", "run"),
                cwd=self._source,
                env=self._steward.settings | {"PYTHONPATH": str(self._source)},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        async with ending_well(process):
            yield


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """Returns the source of 0.2.0; None in a checkout that has no history."""
    folder = tmp_path_factory.mktemp("source")
    parts = ("bot", "alembic", "skills", "plans", "hooks")
    order = ["git", "-C", str(ROOT), "archive", f"--output={folder}/old.tar", FIRST, *parts]
    if subprocess.run(order, capture_output=True, check=False).returncode != 0:
        return None
    # The module for archives has no safe way before Python 3.11.4, and a warning for the other.
    subprocess.run(["tar", "-xf", "old.tar"], cwd=folder, check=True)
    return folder


def emptied(url: str) -> None:
    """Takes the tables away that a test begins with."""
    if url.startswith("sqlite"):
        Path(url.partition(":///")[2]).unlink(missing_ok=True)
        return
    with change_of(url) as connection:
        clear(connection)


def new_rows(copy: Path, kept: Path, table: str) -> int:
    with moment_of(f"sqlite:///{copy}") as before, moment_of(f"sqlite:///{kept}") as after:
        return counted(after)[table] - counted(before)[table]


async def test_an_upgrade_from_the_first_release_is_used_and_taken_back(
    url: str, steward: Steward, source: Path | None
) -> None:
    old = None if source is None else OldProgram(source, steward)
    steward.model.script.rule(colour)
    emptied(url)
    if old is None:
        as_of_the_first_release(url, steward.folder)
    else:
        async with old.serving():
            steward.say("Which colour has the sky?")
            await steward.sees("Blue.")
            await steward.recorded()
    first = revision_at(url)
    assert first < REVISIONS[-1]

    await steward.start()
    steward.say("And a leaf?")
    await steward.sees("Green.")
    await steward.stop()
    assert "This version upgrades the database. It is copied first" in steward.output
    count = len(REVISIONS) - 1 - REVISIONS.index(first)
    assert f"Upgraded: {count} of {count} steps" in steward.output
    (copy,) = (steward.home / "backups").glob("before-upgrade-*.db")
    assert (copy.stat().st_mode & 0o777, revision_at(url)) == (0o600, REVISIONS[-1])
    kept = await taken_back(steward, "You lose: 1 message or press that came in.")
    assert (revision_at(url), new_rows(copy, kept, "inbox")) == (first, 1)
    code, told = await steward.printed_by("rollback", "--yes")
    assert (code, "is back already" in told) == (2, True)

    if old is not None:
        async with old.serving():
            await steward.sees("An upgrade was taken back")
            steward.say("Which colour has the sky now?")
            await steward.sees("Blue.", times=2)
            await steward.recorded()
        assert revision_at(url) == first
    await steward.start()
    news = await steward.sees("An upgrade was taken back: I am as I was on 20")
    assert "Lost: 1 message or press that came in, 1 answer" in news.text
    assert f"kept on my machine, in backups/{kept.name}." in news.text
    await steward.recorded()
    await steward.stop()
    assert revision_at(url) == REVISIONS[-1]


async def test_a_card_from_before_an_upgrade_is_decided_once_also_after_the_way_back(
    steward: Steward, source: Path | None
) -> None:
    if source is None:
        missing("no history of the checkout", "git fetch --unshallow")
    emptied(f"sqlite:///{steward.records.path}")
    old, written = OldProgram(source, steward), steward.workspace / "milk.md"
    async with old.serving():
        steward.script(note("milk"))
        steward.say("Note milk.")
        card = await steward.card()
        await steward.recorded()
    await steward.start()
    steward.script(text("Written."))
    steward.press(card, APPROVE)
    await steward.sees("Written.")
    await steward.recorded()
    await steward.stop()
    await taken_back(steward, "You lose: 1 message or press that came in.")
    written.unlink()
    async with old.serving():
        await steward.sees("An upgrade was taken back")
        assert await steward.answered(steward.press(card, APPROVE))
        await steward.recorded()
    assert not written.exists()


async def test_an_upgrade_after_which_nothing_happened_is_taken_back_without_a_trace(
    url: str, steward: Steward
) -> None:
    emptied(url)
    as_of_the_first_release(url, steward.folder)
    with moment_of(url) as connection:
        before = counted(connection)
    copying = ServingProcess(before=partial(copied_first, settings_of(steward)))
    async with open_store(url, serving=copying):
        pass
    await taken_back(steward, "Nothing happened since, so nothing is lost.")
    with moment_of(url) as connection:
        assert (revision_of(connection), counted(connection)) == ("0039", before)
    # What the recording owes has nobody to be sent to.
    emptied(url)
    async with open_store(url):
        pass


async def test_an_upgrade_without_room_for_its_copy_changes_nothing(
    url: str, steward: Steward, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied(url)
    as_of_the_first_release(url, steward.folder)
    folder, before = steward.home / "backups", revision_at(url)
    copying = ServingProcess(before=partial(copied_first, settings_of(steward)))
    with monkeypatch.context() as full:
        full.setattr(shutil, "disk_usage", lambda _: NoRoom())
        with pytest.raises(CopyUnwritable, match=r"there is no space in .*backups"):
            async with open_store(url, serving=copying):
                pass
    assert (revision_at(url), list(folder.iterdir())) == (before, [])
    # A program whose files cannot grow says so too, and ends.
    steward.module = "tests.e2e.cramped_program"
    assert await steward.exit_code("run") == 75
    said = f"No copy can be made: {folder} cannot be written: "
    assert said in steward.output.splitlines()[-1]
    assert "Make room there" in steward.output
    assert (revision_at(url), list(folder.glob("*.db"))) == (before, [])
    older = [folder / f"before-upgrade-2026010{day}-000000-from-0001.db" for day in (1, 2, 3)]
    for file in older:
        file.touch()
    async with open_store(url, serving=copying):
        pass
    assert [file.exists() for file in older] == [False, False, True]
    assert len(list(folder.glob("before-upgrade-*.db"))) == 2
    emptied(url)
    async with open_store(url):
        pass


class NoRoom(NamedTuple):
    total: int = 1
    used: int = 1
    free: int = 0


def colour(asked: ReceivedRequest) -> Reply:
    return text("Green." if "leaf" in str(asked.body) else "Blue.")


async def taken_back(steward: Steward, told: str) -> Path:
    """Goes back, which says that; returns the copy of what was there."""
    code, asked = await steward.printed_by("rollback")
    assert (code, "add --yes" in asked) == (2, True)
    code, said = await steward.printed_by("rollback", "--yes")
    assert (code, told in said) == (0, True), said
    (kept,) = (steward.home / "backups").glob("rolled-back-*.db")
    return kept
