"""Backups at set times, by a running program: `steward backup --every` says how often."""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from bot.bootstrap.door_form import Inside
from bot.bootstrap.kept_backups import MARK, made
from bot.bootstrap.upgrading import FOLDER
from bot.doctor import Check, Complaint, Finding
from bot.domain.talk.errors import SettingError
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
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
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
        return (Check("backup", partial(_newest, settings.home), "See docs/backup.md.", "warn"),)

    async def keep_open(self, settings: Settings, inside: Inside) -> None:
        """Looks once a minute if a backup is due: one process of those whose homes have times."""
        while Duty.SCHEDULE in settings.duties:
            if times_of(settings.home) is not None:
                await inside.store.posts.keep(_POST, partial(_make_while_wanted, settings))
            await asyncio.sleep(_LOOK_SECONDS)


async def _make_while_wanted(settings: Settings) -> None:
    tried: datetime | None = None
    while times_of(settings.home) is not None:
        now = datetime.now(UTC)
        if _is_due(settings.home, now) and (tried is None or now - tried >= _AGAIN):
            tried = now
            await _make(settings)
        await asyncio.sleep(_LOOK_SECONDS)


async def _newest(home: Path) -> str:
    """Returns a sentence about the newest backup; one that is too old is a complaint."""
    times, found = times_of(home), made(home)
    mend = f"Look into the log, or run `{command('backup')}`."
    if times is None or not found:
        raise Complaint("There is no backup yet.", mend, "warn")
    at, told = found[0][0], f"The newest of {len(found)} is from {found[0][0]:%Y-%m-%d %H:%M} UTC"
    if datetime.now(UTC) - at > 2 * TIMES[times.every]:
        raise Complaint(f"{told}, although one is made every {times.every}.", mend, "warn")
    return f"{told}; one is made every {times.every}."


def _is_due(home: Path, now: datetime) -> bool:
    times = times_of(home)
    if times is None:
        return False
    newest = next((at for at, file in made(home) if MARK in file.name), None)
    return newest is None or not newest <= now < newest + TIMES[times.every]


async def _make(settings: Settings) -> None:
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
    _log.info("a backup was made: %s", ours[0].name if ours else "")


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
