"""The command `steward restore`: checks everything first, and writes nothing over."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.adapters.backup.manifest import Manifest
from bot.adapters.backup.reading import extracted, one_of
from bot.adapters.backup.sealing import unsealed
from bot.adapters.backup.writing import sync_folder
from bot.adapters.lanes.folder_lock import FolderLock
from bot.adapters.sql.carrying import holds_rows
from bot.adapters.sql.migrating import REVISIONS
from bot.adapters.sql.moment import change_of, file_at, moment_of
from bot.adapters.sql.snapshot import begin_anew, replace_all
from bot.bootstrap.backups import DATABASE, SEALED, SETTINGS, check_room
from bot.bootstrap.database import told
from bot.bootstrap.upgrading import FOLDER
from bot.domain.talk.errors import BackupBroken, SettingError, StoreUnavailable
from bot.domain.value import frozen
from bot.flow.commanding import wording
from bot.flow.people.brought_back import LostTime
from bot.one_off.backup_commands import about, checked, flaws_of
from bot.one_off.reviving import revive
from bot.settings import Settings
from bot.settings.env_file import with_values, without_values
from bot.settings.layers import DOTENV, ENVIRONMENT, TOML
from bot.shipped import command

Say = Callable[[str], None]

_MAY_STAND = frozenset(
    {DOTENV, "steward.toml", "lock", "door", "chat.log", FOLDER, "known_folders.json"}
    | {"known_folders.lock"}
)
"""Names that a folder may have before a home is brought back into it: no word was said yet."""


_PLACES = ("STEWARD_HOME", "STEWARD_WORKSPACE", "STEWARD_DATABASE_URL")
"""Settings that do not come back: they name the rows and the files of the home from before."""

_IN_TOML = re.compile(r"^[ \t]*(?:steward_)?(?:home|workspace|database_url)[ \t]*=", re.M | re.I)
_TABLE = re.compile(r"^[ \t]*\[", re.M)
"""The same in `steward.toml`, where settings stand before the first table."""


@frozen
class _Target:
    """The place that a backup is brought back to."""

    home: Path
    workspace: Path
    url: str
    settings: Path
    """The folder that gets the settings of the backup, if it has none."""


def restored(
    settings: Settings,
    file: Path,
    say: Say,
    *,
    folder: Path,
    into: Path | None = None,
    passphrase: str = "",
) -> int:
    """Brings a backup back into an empty home, and tells what does not begin again by itself."""
    target = _target(settings, folder, into)
    try:
        return _restored(settings, target, file, say, into=into, passphrase=passphrase)
    except StoreUnavailable as fault:
        raise told(settings, fault) from None
    except OSError as error:
        why = error.strerror or "no reason given"
        raise SettingError(f"{target.home} cannot be written: {why}.") from None


def _restored(
    settings: Settings,
    target: _Target,
    file: Path,
    say: Say,
    *,
    into: Path | None,
    passphrase: str,
) -> int:
    with FolderLock(target.home, passing=True):
        _refuse_living(target)
        with TemporaryDirectory(prefix=".steward-", dir=target.home) as beside:
            manifest, copy = checked(file, Path(beside))
            say(about(manifest))
            secrets = _unsealed(file, manifest, passphrase)
            _check_fits(target, manifest)
            url = f"sqlite:///{copy}"
            with change_of(url) as connection:
                begin_anew(connection)
            lost = asyncio.run(revive(url, datetime.fromisoformat(manifest.made_at)))
            for flaw in flaws_of(url):
                say(f"fault  {flaw.told}")
            _put(target, file, Path(beside), secrets)
    for line in _told_of(target, manifest, lost, _start(settings, into)):
        say(line)
    return 0


def _target(settings: Settings, folder: Path, into: Path | None) -> _Target:
    """Returns the place: a folder of its own gets a SQLite file, too."""
    if into is None:
        return _Target(settings.home, settings.workspace, settings.database_url, folder)
    home = into.absolute()
    return _Target(home, home / "workspace", f"sqlite:///{home / DATABASE}", home)


def _refuse_living(target: _Target) -> None:
    """Raises SettingError when anything of a Steward is there already."""
    there = [one.name for one in target.home.iterdir() if one.name not in _MAY_STAND]
    there = [name for name in there if not _is_empty(target.home / name)]
    there += [str(target.workspace)] if not _is_empty(target.workspace) else []
    file = file_at(target.url)
    if file is not None and file.exists():
        there.append(str(file))
    elif file is None:
        with moment_of(target.url) as connection:
            there += ["a database with rows"] if holds_rows(connection) else []
    if there:
        raise SettingError(
            f"{target.home} is not empty: {there[0]} is there. Nothing is written over. Name "
            "another folder: --into FOLDER."
        )


def _is_empty(place: Path) -> bool:
    if place.is_dir():
        return not any(place.iterdir())
    return not os.path.lexists(place)


def _check_fits(target: _Target, manifest: Manifest) -> None:
    if manifest.revision not in REVISIONS:
        raise BackupBroken(
            f"This backup cannot be used: it is from version {manifest.version} (revision "
            f"{manifest.revision}), which this version does not know. Use that version"
        )
    # The database is there twice for a moment: as it was, and upgraded.
    check_room(target.home, 2 * sum(member.size for member in manifest.members))


def _unsealed(file: Path, manifest: Manifest, passphrase: str) -> dict[str, dict[str, str]] | None:
    """Returns the secrets of the backup; None where it has none, or no passphrase is given."""
    if not manifest.sealed or not passphrase:
        return None
    return json.loads(unsealed(one_of(file, SEALED), passphrase))


def _put(
    target: _Target, file: Path, beside: Path, secrets: dict[str, dict[str, str]] | None
) -> None:
    """Puts files in their places, and the database last: without it there is no home."""
    stage = beside / "stage"
    extracted(file, {"home": stage / "home", "workspace": stage / "workspace"})
    _move_below(stage / "home", target.home)
    target.workspace.mkdir(mode=0o700, parents=True, exist_ok=True)
    _move_below(stage / "workspace", target.workspace)
    _put_settings(target, one_of(file, SETTINGS).decode(), secrets)
    database = file_at(target.url)
    copy = beside / DATABASE
    if database is not None:
        database.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.move(copy, database)
        sync_folder(database.parent)
        return
    with moment_of(f"sqlite:///{copy}") as source, change_of(target.url) as connection:
        replace_all(source, connection)


def _move_below(stage: Path, folder: Path) -> None:
    for one in sorted(stage.iterdir()) if stage.is_dir() else ():
        place = folder / one.name
        if os.path.lexists(place) and not _is_empty(place):
            raise SettingError(f"{place} is there already, and is not written over.")
        if place.is_dir():
            place.rmdir()
        shutil.move(one, place)
    sync_folder(folder)


def _put_settings(target: _Target, plain: str, secrets: dict[str, dict[str, str]] | None) -> None:
    """Writes the settings of the backup where there are none: with keys, if these were opened."""
    files = {DOTENV: plain} if secrets is None else {DOTENV: plain, **secrets["files"]}
    if secrets is not None:
        given = {name: v for name, v in secrets["environment"].items() if name not in _PLACES}
        files[DOTENV] = with_values(without_values(files[DOTENV], _PLACES), given)
        files[TOML] = _placeless(files.get(TOML, ""))
    for name, text in files.items():
        place = (target.home if name == "skills.toml" else target.settings) / name
        if text and not os.path.lexists(place):
            opened = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8") as written:
                written.write(text)


def _told_of_begun(lost: LostTime) -> str:
    """Returns a sentence for each kind of work that does not begin again."""
    counts = (
        ("Stopped", lost.stopped, "piece of work", "pieces of work"),
        ("Closed", lost.closed, "more card or plan", "more cards and plans"),
        ("Not answered", lost.unanswered, "message", "messages"),
    )
    told = [
        f"{how}: {wording.counted(count, one, several)}."
        for how, count, one, several in counts
        if count
    ]
    return " ".join(told) or "Nothing had begun in it."


def _placeless(toml: str) -> str:
    """Returns the text of a `steward.toml` in which the places are comments."""
    table = _TABLE.search(toml)
    end = len(toml) if table is None else table.start()
    return _IN_TOML.sub(r"# \g<0>", toml[:end]) + toml[end:]


def _start(settings: Settings, into: Path | None) -> str:
    """Returns the command that starts it, without variables that name another home's places."""
    if into is None:
        return command("run")
    named = [line.name for line in settings.lines if line.origin == ENVIRONMENT]
    away = "".join(f"-u {name} " for name in _PLACES[1:] if name in named)
    return f"{f'env {away}' if away else ''}STEWARD_HOME={into.absolute()} {command('run')}"


def _told_of(target: _Target, manifest: Manifest, lost: LostTime, start: str) -> list[str]:
    lines = [
        f"Brought back to {target.home}: what happened since {manifest.made_at} is not in it.",
        _told_of_begun(lost),
    ]
    if lost.tasks:
        lines.append(f"Due meanwhile, and not run: {'; '.join(lost.tasks)}.")
    if manifest.secrets:
        lines.append(f"Settings with secrets at that time: {', '.join(manifest.secrets)}.")
    return [*lines, f"Start it: `{start}`. Owners are told and asked in their chats."]
