"""The commands `steward backup` and `steward verify`."""

import asyncio
import os
import tarfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from bot.adapters.backup.manifest import Manifest
from bot.adapters.backup.reading import examined
from bot.adapters.sql.carrying import counted
from bot.adapters.sql.migrating import REVISIONS, inspect_only, revision_of
from bot.adapters.sql.moment import change_of, moment_of
from bot.adapters.sql.verifying import Flaw, mend, verified
from bot.bootstrap.backup_times import MARK, asked_times, set_times
from bot.bootstrap.backups import (
    DATABASE,
    MadeBackup,
    backup_name,
    check_room,
    make_backup,
    secrets_of,
)
from bot.bootstrap.database import told
from bot.bootstrap.upgrading import FOLDER
from bot.domain.talk.errors import (
    BackupBroken,
    SettingError,
    StoreTooNew,
    StoreTooOld,
    StoreUnavailable,
    VectorsAway,
)
from bot.domain.text.visible_text import shown_name, size
from bot.domain.value import replace
from bot.one_off.meaning_proof import flaws_of_meaning, make_anew
from bot.one_off.row_counts import say_copied
from bot.one_off.standing_alone import standing_alone
from bot.settings import Settings

Say = Callable[[str], None]

_MOST_NAMED = 5
"""Things that a line names; the others are counted."""


def backed_up(
    settings: Settings,
    file: Path | None,
    say: Say,
    *,
    folder: Path,
    environ: Mapping[str, str],
    passphrase: str | None = None,
    by_service: bool = False,
) -> int:
    """Makes a backup, with sealed secrets if there is a passphrase, and tells what it holds."""
    mark = MARK if by_service else ""
    place = file or settings.home / FOLDER / backup_name(datetime.now(UTC), mark)
    secrets = None if passphrase is None else secrets_of(settings, folder, environ)
    made = make_backup(
        settings,
        place,
        partial(say_copied, say),
        secrets=secrets,
        passphrase=passphrase or "",
    )
    for line in _told_of(made):
        say(line)
    return 0


def timed(settings: Settings, every: str, keep: int, say: Say) -> int:
    """Says how often a running program makes a backup, and how many it keeps."""
    times = asked_times(every, keep)
    try:
        set_times(settings.home, times)
    except OSError as error:
        folder, why = settings.home / FOLDER, error.strerror or "no reason given"
        raise SettingError(f"{folder} cannot be written: {why}.") from None
    if times is None:
        say("Steward makes no backups by itself any more.")
    else:
        say(f"While it runs, Steward makes a backup every {every} and keeps the newest {keep}.")
        say(f"They are in {settings.home / FOLDER}: copy them to another disk, too.")
    return 0


def verify(settings: Settings, place: Path | None, say: Say, *, fix: bool = False) -> int:
    """Proves a home or a backup; returns 1 when something does not hold."""
    try:
        return _verify(settings, place, say, fix=fix)
    except StoreUnavailable as fault:
        raise told(settings, fault) from None


def _verify(settings: Settings, place: Path | None, say: Say, *, fix: bool) -> int:
    if place is None or place.resolve() == settings.home.resolve():
        return _verify_home(settings, say, fix=fix)
    if place.is_dir():
        there = replace(settings, home=place, database_url=f"sqlite:///{place / DATABASE}")
        return _verify_home(there, say, fix=fix)
    if fix:
        raise SettingError("A backup is never changed. Restore it, then verify that home.")
    return _verify_file(place, say)


def _verify_home(settings: Settings, say: Say, *, fix: bool) -> int:
    url = settings.database_url
    if not fix:
        return _tell([*flaws_of(url), *_of_meaning(settings, say)], say)
    with standing_alone(settings):
        found = flaws_of(url)
        if any(flaw.can_mend for flaw in found):
            with change_of(url) as connection:
                mend(connection)
        left = flaws_of(url)
        of_meaning = _of_meaning(settings, say)
        if of_meaning:
            asyncio.run(make_anew(settings, say))
            found += of_meaning
            left += _of_meaning(settings, say)
    mended = [flaw for flaw in found if flaw not in left]
    for flaw in mended:
        say(f"fixed  {flaw.told}")
    return _tell(left, say)


def _of_meaning(settings: Settings, say: Say) -> Sequence[Flaw]:
    try:
        return asyncio.run(flaws_of_meaning(settings))
    except VectorsAway as fault:
        say(f"The index of meaning was not looked at: {fault}. All else was:")
        return ()


def _verify_file(file: Path, say: Say) -> int:
    with TemporaryDirectory(prefix="steward-") as beside:
        manifest, copy = checked(file, Path(beside))
        url = f"sqlite:///{copy}"
        flaws = flaws_of(url)
        with moment_of(url) as connection:
            if counted(connection) != dict(manifest.counts):
                raise BackupBroken("its rows are not as many as its manifest says")
    say(about(manifest))
    return _tell(flaws, say)


def checked(file: Path, beside: Path) -> tuple[Manifest, Path]:
    """Checks every file of a backup; returns its manifest, and its database in that folder."""
    if not file.is_file():
        raise SettingError(f"There is no file {shown_name(str(file))}.")
    copy = beside / DATABASE
    with ExitStack() as stack:

        def taking(head: tarfile.TarInfo) -> BinaryIO | None:
            if head.name != DATABASE:
                return None
            check_room(beside, head.size)
            opened = os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            return stack.enter_context(os.fdopen(opened, "wb"))

        try:
            manifest = examined(file, taking)
        except BackupBroken as fault:
            raise BackupBroken(f"This backup cannot be used: {fault}.") from None
    if not copy.exists():
        raise BackupBroken("This backup cannot be used: it has no database.")
    return manifest, copy


def about(manifest: Manifest) -> str:
    """Returns a line about a backup."""
    rows = sum(manifest.counts.values())
    sealed = ", with sealed secrets" if manifest.sealed else ""
    return (
        f"Made {manifest.made_at} by version {manifest.version}: {rows:,} rows, "
        f"{len(manifest.members):,} files{sealed}."
    )


def flaws_of(url: str) -> list[Flaw]:
    """Returns what does not hold in a database of this version; raises SettingError for others."""
    with moment_of(url) as connection:
        revision = revision_of(connection)
        try:
            inspect_only(connection)
        except StoreTooOld as old:
            if revision not in REVISIONS:
                raise SettingError(f"There is nothing to verify: {old}.") from None
            raise SettingError(f"Only the tables of this version can be verified: {old}.") from None
        except StoreTooNew as new:
            raise SettingError(f"{new}.") from None
        return list(verified(connection))


def _tell(flaws: list[Flaw], say: Say) -> int:
    for flaw in flaws:
        say(f"fault  {flaw.told}")
    if not flaws:
        say("Everything holds: pages, references, logs, cards, messages, plans and indexes.")
        return 0
    if any(flaw.can_mend for flaw in flaws):
        say("Stop Steward, then run the same with --fix. Make a backup first.")
    else:
        say("Nobody can set this right by a command: bring back a backup from before.")
    return 1


def _told_of(made: MadeBackup) -> list[str]:
    manifest = made.manifest
    lines = [f"{made.file}: {size(made.size)}.", about(manifest)]
    if manifest.left_out:
        named = [f"{shown_name(one.name)} ({one.why})" for one in manifest.left_out[:_MOST_NAMED]]
        more = len(manifest.left_out) - len(named)
        lines.append(f"Left out: {', '.join(named)}{f' and {more:,} more' if more else ''}.")
    if manifest.secrets and not manifest.sealed:
        named = ", ".join(manifest.secrets)
        lines.append(f"Without secrets: {named}. --with-secrets adds them, sealed.")
    return lines
