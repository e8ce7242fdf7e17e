"""Tries the database for the doctor: its pages, its rows, and whether it can be written."""

import asyncio
from pathlib import Path

from bot.adapters.sql.soundness import Soundness, looked_through
from bot.adapters.sql.store import Store, open_store
from bot.bootstrap.database import file_of, mend_database, unavailable
from bot.doctor import Complaint, write_below
from bot.domain.assignments.goal import GoalState
from bot.domain.talk.errors import DriverMissing, StoreTooOld, StoreUnavailable
from bot.domain.talk.unusable_folder import mend_disk
from bot.domain.text.visible_text import size
from bot.ports.upkeep import grown
from bot.settings import Settings

LOOK_SECONDS = 10.0
"""Seconds in which a file is looked through; what is left of a larger one is told."""

READ_SECONDS = 5.0
"""Seconds in which rows are read."""

_SOME_ROWS = f"{READ_SECONDS:g} s were enough to read some of its rows; they are sound."

_GOING = (GoalState.ACTIVE, GoalState.STUCK)


async def try_database(settings: Settings) -> str:
    """Returns a sentence about a database that is sound and can be written."""
    file = file_of(settings)
    try:
        looked = await _looked(file) if file is not None and file.exists() else ""
        async with open_store(settings.database_url, upgrade=False) as store:
            known = await _known(store)
            if not await store.check_readable(READ_SECONDS):
                looked = looked or _SOME_ROWS
            await store.check_writable()
        if file is not None:
            await _try_folder(file.absolute().parent)
    except StoreTooOld as due:
        # The doctor changes nothing: an older version may be using the database right now.
        return f"It opens. The next start upgrades it: {due}."
    except DriverMissing as fault:
        told = "PostgreSQL needs its driver, which is not installed."
        raise Complaint(told, f"Run `{fault.install}`.") from None
    except StoreUnavailable as fault:
        raise Complaint(unavailable(fault), mend_database(settings, fault)) from None
    return " ".join(filter(None, (known, looked)))


async def _looked(file: Path) -> str:
    """Returns what is still to be said of a sound file; a damaged one is a complaint."""
    found = await asyncio.to_thread(looked_through, file, LOOK_SECONDS)
    if found.faults:
        raise Complaint(_damage(found), f"Bring {file} back from a backup: see docs/incidents.md.")
    if not found.unread:
        return ""
    read = found.tables - found.unread
    return f"{read} of {found.tables} tables are sound; {LOOK_SECONDS:g} s were enough for no more."


def _damage(found: Soundness) -> str:
    count = len(found.faults)
    where = "1 table" if count == 1 else f"{count} tables"
    return f"The database is damaged in {where}: {found.faults[0]}."


async def try_sizes(settings: Settings) -> str:
    """Returns what a database takes, part by part, and how it grows."""
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            kept = await store.upkeep.kept()
    except StoreTooOld:
        return "The next start upgrades the database, and tells its size then."
    if kept.newest is None:
        return "The size of the database is known a few minutes after the first start."
    takes, parts = f"The database takes {size(kept.newest.whole)}", kept.newest.told()
    return f"{takes}{grown(kept)}: {parts}." if parts else f"{takes}."


async def try_folders(settings: Settings) -> str:
    """Returns which workers have how many folders, where a worker has tags."""
    if file_of(settings) is not None:
        told = "STEWARD_WORKER_TAGS does nothing: with SQLite one process has all files."
        raise Complaint(told, "Leave it out.", "warn")
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            counts = await store.folders.counts()
    except StoreTooOld:
        return "The next start upgrades the database, and tells of folders then."
    told = ", ".join(f"{tag} has {count}" for tag, count in counts.items())
    here = ", ".join(settings.worker_tags)
    return f"The tags of this worker: {here}. Folders of chats: {told or 'none yet'}."


async def _known(store: Store) -> str:
    accounts = len(await store.people.accounts())
    going, asking = [await store.goals.count(one) for one in _GOING]
    told = f"It can be written and knows {accounts} {'account' if accounts == 1 else 'accounts'}."
    parts = [f"{going} {'goal is' if going == 1 else 'goals are'} under way"] if going else []
    parts += (
        [f"{asking} {'goal waits' if asking == 1 else 'goals wait'} for your answer"]
        if asking
        else []
    )
    return f"{told} {', '.join(parts)}." if parts else told


async def _try_folder(folder: Path) -> None:
    """Writes beside the database, as SQLite does."""
    try:
        await asyncio.to_thread(write_below, folder)
    except OSError as error:
        told = f"The folder of the database cannot be written: {error.strerror}."
        mend = mend_disk(error, folder) or f"Give your user the right to write {folder}."
        raise Complaint(told, mend) from None
