"""The command `steward rollback`: goes back to the copy from before the last upgrade."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.sql.carrying import counted
from bot.adapters.sql.migrating import REVISIONS, revision_of
from bot.adapters.sql.moment import change_of, file_at, moment_of
from bot.adapters.sql.reviving import LaidDown, lay_down
from bot.adapters.sql.snapshot import replace_all, take
from bot.bootstrap.database import told
from bot.bootstrap.upgrading import FOLDER, copies, settle
from bot.domain.talk.errors import SettingError, StoreUnavailable
from bot.domain.value import frozen
from bot.settings import Settings

Say = Callable[[str], None]

_LAST = "SELECT subject FROM audit WHERE action = 'program.started' ORDER BY id DESC LIMIT 1"
_TOLD = {
    "inbox": "messages and presses that came in",
    "turn": "answers",
    "approval": "cards",
    "passage": "remembered answers",
    "note": "notes",
    "task": "tasks",
    "person": "people",
}
"""Tables whose new rows a person would miss."""


@frozen
class _Way:
    """The way back: the copy, what it holds, and what is lost by it."""

    copy: Path
    revision: str
    version: str
    """The version of the program that used it last."""
    lost: dict[str, int]


def rolled_back(settings: Settings, say: Say, *, agreed: Callable[[], bool]) -> int:
    """Says what was written since the upgrade, and goes back when that is agreed to."""
    try:
        return _rolled_back(settings, say, agreed)
    except StoreUnavailable as fault:
        raise told(settings, fault) from None


def _rolled_back(settings: Settings, say: Say, agreed: Callable[[], bool]) -> int:
    with FolderLock(settings.home):
        way = _way(settings)
        say(f"This goes back to {way.copy.name}, from before the upgrade.")
        for table, words in _TOLD.items():
            if way.lost.get(table, 0) > 0:
                say(f"Lost by it: {way.lost[table]:,} {words}.")
        if not agreed():
            say("Nothing was changed.")
            return 1
        kept = _keep(settings)
        laid = _go_back(settings, way.copy)
    say(f"Gone back. What was there until now is kept in {kept}.")
    if laid.turns or laid.waiting or laid.held:
        say(
            f"Not begun a second time: {laid.turns} pieces of work, "
            f"{sum(count for _, count in laid.waiting)} waiting messages, "
            f"{len(laid.held)} messages to be sent."
        )
    before = f"version {way.version}" if way.version else "the version from before"
    say(f"Now start {before}; this one would upgrade the database again.")
    return 0


def _way(settings: Settings) -> _Way:
    found = copies(settings.home)
    if not found:
        raise SettingError(f"There is no copy from before an upgrade in {settings.home / FOLDER}.")
    with moment_of(f"sqlite:///{found[0]}") as copy, moment_of(settings.database_url) as live:
        revision = revision_of(copy) or ""
        if revision not in REVISIONS:
            raise SettingError(f"{found[0]} is from a version that this one does not know.")
        if revision_of(live) == revision:
            raise SettingError("The database is not upgraded, or is back already.")
        before, now = counted(copy), counted(live)
        version = copy.exec_driver_sql(_LAST).scalar() or ""
    lost = {table: count - before.get(table, 0) for table, count in now.items()}
    return _Way(found[0], revision, version, lost)


def _keep(settings: Settings) -> Path:
    """Copies what is there now, as nobody can be sure never to want it."""
    kept = settings.home / FOLDER / f"rolled-back-{datetime.now(UTC):%Y%m%d-%H%M%S}.db"
    take(settings.database_url, kept)
    return kept


def _go_back(settings: Settings, copy: Path) -> LaidDown:
    """Puts the copy in place: a death on the way leaves the one or the other."""
    spare = copy.with_name("going-back.part")
    spare.unlink(missing_ok=True)
    shutil.copyfile(copy, spare)
    spare.chmod(0o600)
    url = f"sqlite:///{spare}"
    with change_of(url) as connection:
        laid = lay_down(connection, datetime.now(UTC))
    _fold(spare)
    file = file_at(settings.database_url)
    if file is not None:
        _fold(file)
        settle(spare, file)
        return laid
    with moment_of(url) as source, change_of(settings.database_url) as target:
        replace_all(source, target)
    spare.unlink()
    return laid


def _fold(file: Path) -> None:
    """Leaves a database without a log beside it: another file's log must not be taken for its."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
