"""Makes backups: the rows of one moment, the files of the home, and settings without secrets."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.adapters.backup.manifest import Manifest, written
from bot.adapters.backup.sealing import sealed
from bot.adapters.backup.tree import walked
from bot.adapters.backup.writing import Archive, archive_at
from bot.adapters.sql.carrying import Heard
from bot.adapters.sql.snapshot import Snapshot, size_of, take
from bot.bootstrap.database import told
from bot.bootstrap.kept_backups import make_folder
from bot.bootstrap.upgrading import FOLDER
from bot.domain.talk.errors import CopyUnwritable, SettingError, StoreUnavailable, StoreUnwritable
from bot.domain.text.visible_text import size
from bot.domain.value import frozen
from bot.settings import Settings
from bot.settings.env_file import with_values
from bot.settings.layers import DOTENV, TOML
from bot.settings.showing import DEFAULT
from bot.shipped.version import running_version

ENDING = ".tar.gz"
DATABASE, SETTINGS, SEALED = "steward.db", "settings.env", "secrets.sealed"
"""Files of a backup beside its trees."""

_SECRET_FILES = frozenset({DOTENV, TOML, "skills.toml"})
"""Files with keys of the operator; `.env` lies beside the home in a checkout."""

_OWN = frozenset({"lock", "door", "meaning", ".cache", FOLDER, "chat.log", "chat.log.1"})
"""Names in a home that a copy does not need: what a run makes anew, and other backups."""


@frozen
class MadeBackup:
    """A backup that was made."""

    file: Path
    manifest: Manifest
    size: int


def backup_name(at: datetime, mark: str = "") -> str:
    """Returns the name of a backup that was made at a time, in UTC."""
    return f"steward-{at:%Y%m%d-%H%M%S}{mark}{ENDING}"


def make_backup(
    settings: Settings,
    file: Path,
    heard: Heard = lambda *_: None,
    *,
    secrets: bytes | None = None,
    passphrase: str = "",
) -> MadeBackup:
    """Writes a backup and returns what it holds; nothing is left behind when it fails.

    Raises SettingError, and a StoreError; StoreUnwritable when there is no room.
    """
    with _told(settings, file):
        if file.exists():
            raise SettingError(f"{file} is there already, and is not written over.")
        needed = _room_needed(settings)
        make_folder(settings.home, file.parent)
        check_room(file.parent, needed)
        with TemporaryDirectory(prefix=".steward-", dir=file.parent) as beside:
            copy = Path(beside) / DATABASE
            at = datetime.now(UTC)
            rows = take(settings.database_url, copy, heard)
            with archive_at(file) as archive:
                with copy.open("rb") as source:
                    archive.put(DATABASE, source, copy.stat().st_size)
                archive.put_bytes(SETTINGS, _plain_settings(settings).encode())
                if secrets is not None:
                    archive.put_bytes(SEALED, sealed(secrets, passphrase))
                archive.put_tree("home", settings.home, _leaves(settings))
                archive.put_tree("workspace", settings.workspace, lambda _: False)
                manifest = _manifest(settings, archive, rows, at, sealed=secrets is not None)
                archive.end(written(manifest))
    return MadeBackup(file, manifest, file.stat().st_size)


def secrets_of(settings: Settings, folder: Path, environ: Mapping[str, str]) -> bytes:
    """Returns the secrets of a home for sealing; `folder` is where .env and steward.toml lie."""
    places = {DOTENV: folder, TOML: folder, "skills.toml": settings.home}
    files = {
        n: (place / n).read_text("utf-8") for n, place in places.items() if (place / n).is_file()
    }
    named = {line.name for line in settings.lines if line.origin == "environment"}
    named |= {name for name in settings.hook_secrets if name in environ}
    told = {name: environ[name] for name in sorted(named) if name in environ}
    return json.dumps({"files": files, "environment": told}).encode()


def _manifest(
    settings: Settings, archive: Archive, rows: Snapshot, at: datetime, *, sealed: bool
) -> Manifest:
    secret = [line.name for line in settings.lines if line.secret and line.origin != DEFAULT]
    files = [name for name in sorted(_SECRET_FILES) if (settings.home / name).is_file()]
    return Manifest(
        made_at=at.isoformat(timespec="seconds"),
        version=running_version(),
        revision=rows.revision,
        database=rows.database,
        counts=rows.counts,
        members=tuple(archive.members),
        left_out=tuple(archive.left_out),
        secrets=tuple(dict.fromkeys((*secret, *settings.hook_secrets, *files))),
        sealed=sealed,
    )


def _plain_settings(settings: Settings) -> str:
    """Returns the settings without a secret that were not left as they are."""
    own = settings.places
    given = {
        line.name: line.value
        for line in settings.lines
        if line.origin != DEFAULT and not line.secret and line.name not in own and line.value
    }
    return with_values("", given)


def _leaves(settings: Settings) -> Callable[[str], bool]:
    """Tells of names below home that are not copied with it."""
    database = settings.database_url.rpartition("/")[2]
    rows = {database, f"{database}-wal", f"{database}-shm", f"{database}-journal"}
    left = rows | _OWN | _SECRET_FILES
    inside = settings.workspace.is_relative_to(settings.home)
    workspace = str(settings.workspace.relative_to(settings.home)) if inside else ""

    def leaves(name: str) -> bool:
        first = name.partition("/")[0]
        return first in left or first.startswith(".steward-") or name == workspace

    return leaves


def _room_needed(settings: Settings) -> int:
    """Returns the bytes that the copy and its archive take, at worst."""

    def taken(place: Path, leaves: Callable[[str], bool]) -> int:
        return sum(part.size for part in walked(place, leaves, lambda _: None))

    files = taken(settings.home, _leaves(settings)) + taken(settings.workspace, lambda _: False)
    return 2 * size_of(settings.database_url) + files


def check_room(folder: Path, needed: int) -> None:
    """Raises CopyUnwritable when a disk has less room than is needed, in bytes."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise CopyUnwritable(
            f"there is no space in {folder}: {size(needed)} are needed, {size(free)} are free"
        )


@contextmanager
def _told(settings: Settings, file: Path) -> Iterator[None]:
    """Tells faults of the database and of the disk in words for a person."""
    try:
        yield
    except StoreUnwritable as fault:
        raise StoreUnwritable(f"No backup was made: {fault}.") from None
    except StoreUnavailable as fault:
        raise told(settings, fault) from None
    except OSError as error:
        why = error.strerror or "no reason given"
        raise StoreUnwritable(f"No backup was made: {file} cannot be written: {why}.") from None
