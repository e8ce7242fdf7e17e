"""Backups at set times, by a running program: `steward backup --every` says how often."""

import asyncio
import json
import logging
import os
import platform
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bot.adapters.sql.noted_backups import BACKUP_MADE, NotedBackup, noted_backup
from bot.bootstrap.database import file_of
from bot.bootstrap.door_form import Inside
from bot.bootstrap.kept_backups import MARK, made, make_folder
from bot.bootstrap.upgrading import FOLDER
from bot.doctor import Check, Complaint, Finding
from bot.domain.change import AddAudit, Change
from bot.domain.talk.errors import SettingError, StoreError
from bot.domain.value import frozen
from bot.ports.duties import Duty
from bot.settings import Settings
from bot.shipped import command

TIMES = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(weeks=1)}
"""The times between two backups that make themselves."""

PLAN = "times.json"
"""The name of the file with the times."""

_POST = "backups"
_LOOK_SECONDS = 60.0
_AGAIN = timedelta(hours=1)
"""The time after a backup that failed until the next try."""

_LEFT = timedelta(days=1)
_log = logging.getLogger(__name__)


@frozen
class BackupTimes:
    """The time between two backups, and the number of those that are kept."""

    every: str
    keep: int


def set_times(home: Path, times: BackupTimes | None) -> None:
    """Keeps the times in the folder of backups; a running program reads them within a minute."""
    folder = home / FOLDER
    make_folder(home, folder)
    if times is None:
        (folder / PLAN).unlink(missing_ok=True)
        return
    spare = folder / f"{PLAN}.{os.getpid()}"
    spare.write_text(json.dumps({"every": times.every, "keep": times.keep}), "utf-8")
    spare.replace(folder / PLAN)


def times_of(home: Path) -> BackupTimes | None:
    """Returns the times; None where there are none, or none that can be read."""
    try:
        told = json.loads((home / FOLDER / PLAN).read_text("utf-8"))
        times = BackupTimes(str(told["every"]), int(told["keep"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return times if times.every in TIMES and times.keep > 0 else None


class BackupForm:
    """Makes backups beside a running program, in a process of its own."""

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        if times_of(settings.home) is None:
            return ()
        return (Check("backup", partial(_newest, settings), "See docs/backup.md.", "warn"),)

    async def keep_open(self, settings: Settings, inside: Inside) -> None:
        """Looks once a minute if a backup is due: one process of those whose homes have times."""
        while Duty.SCHEDULE in settings.duties:
            if times_of(settings.home) is not None:
                await inside.store.posts.keep(_POST, partial(_make_while_wanted, settings, inside))
            await asyncio.sleep(_LOOK_SECONDS)


async def _make_while_wanted(settings: Settings, inside: Inside) -> None:
    tried: datetime | None = None
    while times_of(settings.home) is not None:
        now = datetime.now(UTC)
        if _is_due(settings.home, now) and (tried is None or now - tried >= _AGAIN):
            tried = now
            await _make(settings, inside)
        await asyncio.sleep(_LOOK_SECONDS)


async def _newest(settings: Settings) -> str:
    """Returns a sentence about the newest backup; one that is too old is a complaint."""
    times, found = times_of(settings.home), made(settings.home)
    mend = f"Look into the log, or run `{command('backup')}`."
    other = await asyncio.to_thread(_elsewhere, settings)
    if other is not None and (not found or found[0][0] < other.at):
        at = other.at
        told = f"The newest is from {at:%Y-%m-%d %H:%M} UTC, in {other.home} on {other.machine}"
    elif found:
        at = found[0][0]
        told = f"The newest of {len(found)} is from {at:%Y-%m-%d %H:%M} UTC"
    else:
        raise Complaint("There is no backup yet.", mend, "warn")
    if times is None or datetime.now(UTC) - at > 2 * TIMES[times.every]:
        every = "" if times is None else f", although one is made every {times.every}"
        raise Complaint(f"{told}{every}.", mend, "warn")
    return f"{told}; one is made every {times.every}."


def _elsewhere(settings: Settings) -> NotedBackup | None:
    """Returns the newest backup of the processes that share the database, if it is not ours."""
    if file_of(settings) is not None:
        return None
    try:
        noted = noted_backup(settings.database_url)
    except StoreError:
        # The check of the database tells of it.
        return None
    ours = (str(settings.home), platform.node())
    return None if noted is None or (noted.home, noted.machine) == ours else noted


def _is_due(home: Path, now: datetime) -> bool:
    times = times_of(home)
    if times is None:
        return False
    newest = next((at for at, file in made(home) if MARK in file.name), None)
    return newest is None or not newest <= now < newest + TIMES[times.every]


async def _make(settings: Settings, inside: Inside) -> None:
    """Makes a backup, and deletes those that are one too many."""
    _tidy(settings.home)
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "backup", "--by-service"),
        env={**os.environ, **settings.places},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        _, told = await child.communicate()
    finally:
        with suppress(ProcessLookupError):
            # As Ctrl-C does: it takes away what it has begun.
            child.send_signal(signal.SIGINT)
    if child.returncode:
        _log.warning("a backup was not made: %s", told.decode(errors="replace").strip()[-300:])
        return
    times = times_of(settings.home)
    ours = [file for _, file in made(settings.home) if MARK in file.name]
    for old in ours[times.keep :] if times is not None else ():
        old.unlink(missing_ok=True)
    name = ours[0].name if ours else ""
    _log.info("a backup was made: %s", name)
    await _note(settings.home, name, inside)


async def _note(home: Path, name: str, inside: Inside) -> None:
    """Puts it on record: the doctor of another home with this database looks there."""
    where = {"home": str(home), "machine": platform.node()}
    line = AddAudit(datetime.now(UTC), None, None, BACKUP_MADE, name, where)
    try:
        await inside.store.journal.commit(Change((line,)))
    except StoreError as fault:
        _log.warning("the record does not know of the backup: %s", fault)


def _tidy(home: Path) -> None:
    """Takes away what processes that were killed have left behind."""
    oldest = (datetime.now(UTC) - _LEFT).timestamp()
    for left in (home / FOLDER).glob(".*.part"):
        if left.stat().st_mtime < oldest:
            left.unlink(missing_ok=True)


def asked_times(every: str, keep: int) -> BackupTimes | None:
    """Returns the times that a person asked for; None for “never”."""
    if every == "never":
        return None
    if keep < 1:
        raise SettingError("Keep at least one backup.")
    return BackupTimes(every, keep)
