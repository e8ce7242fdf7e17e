"""Fixes what can be fixed without a question: rights, folders, leftovers, rows and the index."""

import asyncio
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from bot.adapters.home_door.place import NAME, Unsafe, connected
from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.sql.store import open_store
from bot.bootstrap.backup_times import PLAN
from bot.bootstrap.database import file_of
from bot.bootstrap.upgrading import FOLDER
from bot.domain.talk.errors import FolderHeld, SettingError, StewardError, StoreError
from bot.one_off.backup_commands import verify
from bot.one_off.memory_commands import indexed
from bot.one_off.standing_alone import refuse_shared
from bot.settings import Settings
from bot.settings.layers import DOTENV, TOML

Say = Callable[[str], None]

_OLD_SECONDS = 3600.0
"""Seconds after which a temporary file is nobody's: a backup of a large home takes its time."""

_RUNS = (
    "Steward runs, so its rows and files were not touched. Stop it and run this again to fix those."
)
_FIXED = "fixed  "


def repaired(settings: Settings, folder: Path, say: Say) -> str:
    """Fixes what is safe, and says each thing; returns a sentence if something was not touched.

    `folder` is where .env and steward.toml lie.
    Nothing that a person wrote is changed or deleted. What cannot be fixed is left to the report.
    """
    for place in (settings.home, settings.workspace):
        _make(place, say)
    _close(settings, folder, say)
    try:
        with FolderLock(settings.home):
            _tidy(settings.home, say)
    except FolderHeld:
        return _RUNS
    except StewardError:
        return ""
    file = file_of(settings)
    if file is not None and not file.exists():
        return ""
    try:
        refuse_shared(settings.database_url)
    except SettingError as shared:
        return f"The rows were not touched. {shared}"
    except StewardError:
        return ""
    # What fails here is told by the report.
    with suppress(StewardError):
        asyncio.run(_index_anew(settings, say))
    with suppress(StewardError):
        _mend_rows(settings, say)
    return ""


def _make(place: Path, say: Say) -> None:
    if place.exists():
        return
    try:
        place.mkdir(mode=0o700, parents=True)
    except OSError:
        return
    say(f"Made the folder {place}.")


def _close(settings: Settings, folder: Path, say: Say) -> None:
    """Takes the right to look from other users."""
    secret = [one for name in (DOTENV, TOML) if (one := folder / name).is_file()]
    for place, mode in ((settings.home, 0o700), *((file, 0o600) for file in secret)):
        try:
            if place.stat().st_mode & 0o077:
                place.chmod(mode)
                say(f"Only your user can read {place} now.")
        except OSError:
            continue


def _tidy(home: Path, say: Say) -> None:
    """Deletes what an earlier process of ours left behind; nobody has the home now."""
    for left in _leftovers(home):
        try:
            if left.is_dir() and not left.is_symlink():
                shutil.rmtree(left)
            else:
                left.unlink()
        except OSError:
            continue
        say(f"Deleted {left}, which an earlier run left behind.")


def _leftovers(home: Path) -> Iterator[Path]:
    backups = home / FOLDER
    begun = [*home.glob(".steward-*"), *backups.glob(".steward-*"), *backups.glob("*.part*")]
    begun += backups.glob(f"{PLAN}.*")
    yield from (one for one in begun if _is_old(one))
    door = home / NAME
    if door.is_socket():
        try:
            answered = connected(home, 1.0)
        except (Unsafe, OSError):
            return
        if answered is None:
            yield door
        else:
            answered.close()


def _is_old(file: Path) -> bool:
    try:
        return time.time() - file.lstat().st_mtime > _OLD_SECONDS
    except OSError:
        return False


def _mend_rows(settings: Settings, say: Say) -> None:
    told: list[str] = []
    verify(settings, None, told.append, fix=True)
    for line in told:
        if line.startswith(_FIXED):
            say(line.removeprefix(_FIXED))


async def _index_anew(settings: Settings, say: Say) -> None:
    async with open_store(settings.database_url, upgrade=False) as store:
        condition = await store.memory.condition()
        if condition.owed == condition.passages:
            return
        try:
            held, wanted = await store.words.check()
        except StoreError:
            held, wanted = -1, 0
        if held != wanted:
            await store.words.start_anew()
            say(f"Made the index of words anew: {await indexed(store):,} answers and notes.")
