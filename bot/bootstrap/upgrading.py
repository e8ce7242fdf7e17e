"""Copies the database before a migration: the way back that `steward rollback` goes."""

from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from bot.domain.talk.errors import StoreUnwritable
from bot.settings import Settings
from bot.visits.error_line import print_error

FOLDER = "backups"
"""The folder below home for copies without a place of their own."""

BEFORE = "before-upgrade-"
"""Beginning of the names of these copies, in the folder of backups."""

_KEPT = 2
"""Copies that are kept: an upgrade over several versions may need the one before, too."""


def copy_before(settings: Settings, revision: str) -> None:
    """Copies the database as it is, and says so; called with the migration's lock held.

    Raises StoreUnwritable when there is no room: then nothing is upgraded.
    """
    # Only a start that upgrades loads these.
    backups: Any = import_module("bot.bootstrap.backups")
    snapshot: Any = import_module("bot.adapters.sql.snapshot")
    folder = settings.home / FOLDER
    size = snapshot.size_of(settings.database_url)
    print_error(f"steward: The database is upgraded. I copy it first: {size / 1e6:,.0f} MB.")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for left in folder.glob(f"{BEFORE}*.part*"):
            left.unlink()
        backups.check_room(folder, size)
        file = folder / f"{BEFORE}{datetime.now(UTC):%Y%m%d-%H%M%S}-from-{revision}.db"
        spare = file.with_suffix(".part")
        snapshot.take(settings.database_url, spare)
        settle(spare, file)
    except OSError as error:
        why = error.strerror or "no reason given"
        raise StoreUnwritable(f"{folder} cannot be written: {why}") from None
    for old in copies(settings.home)[_KEPT:]:
        old.unlink()
    print_error(f"steward: Copied to {file}. `steward rollback` would go back to it. Upgrading …")


def copies(home: Path) -> list[Path]:
    """Returns the copies of a home, the newest first."""
    return sorted((home / FOLDER).glob(f"{BEFORE}*.db"), reverse=True)


def settle(spare: Path, file: Path) -> None:
    """Gives a file that is whole its name, so that both survive a power cut."""
    writing: Any = import_module("bot.adapters.backup.writing")
    with spare.open("rb") as written:
        writing.sync_file(written.fileno())
    spare.replace(file)
    writing.sync_folder(file.parent)
