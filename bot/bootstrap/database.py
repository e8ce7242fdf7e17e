"""Opens the database for commands beside the bot, with sentences about one that cannot be used."""

import os
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from bot.adapters.sql.store import Store, open_store
from bot.bootstrap.kept_backups import newest
from bot.domain.talk.errors import (
    CopyUnwritable,
    SettingError,
    StoreAway,
    StoreBusy,
    StoreDamaged,
    StoreRefused,
    StoreTooOld,
    StoreUnavailable,
    StoreUnwritable,
)
from bot.settings import Settings

Unavailable = TypeVar("Unavailable", bound=StoreUnavailable)

_WORDS_OF_A_DISK = re.compile("I/O|could not")
_START = "Start Steward once, then try again."


@asynccontextmanager
async def opened_as_it_is(settings: Settings) -> AsyncGenerator[Store]:
    """Opens the database and makes or upgrades none; raises SettingError when it is not ready."""
    file = file_of(settings)
    if file is not None and not file.exists():
        raise SettingError(f"There is no database yet at {file}. {_START}")
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            yield store
    except StoreTooOld as due:
        raise SettingError(f"The database is not ready: {due}. {_START}") from None
    except StoreUnavailable as fault:
        raise told(settings, fault) from None


def file_of(settings: Settings) -> Path | None:
    """Returns the file of the database; None on a server."""
    url = settings.database_url
    return Path(url.partition(":///")[2]) if url.startswith("sqlite") else None


def told(settings: Settings, fault: Unavailable) -> Unavailable:
    """Returns the same fault, with words that say what is wrong and what a person can do."""
    return type(fault)(f"{unavailable(fault)} {mend_database(settings, fault)}".strip())


def unavailable(fault: StoreUnavailable) -> str:
    """Returns what is wrong, as one sentence."""
    match fault:
        case StoreDamaged():
            return f"The database is damaged: {fault}."
        case StoreBusy():
            return f"The database is in use by another program: {fault}."
        case CopyUnwritable():
            return f"No copy can be made: {fault}."
        case StoreUnwritable():
            return f"The database cannot be read or written: {fault}."
        case _:
            return f"{fault}."


def mend_database(settings: Settings, fault: StoreUnavailable) -> str:
    """Returns what a person can do about it."""
    file = file_of(settings)
    match fault:
        case StoreRefused():
            return "Look at the user, the password and the name in STEWARD_DATABASE_URL."
        case StoreAway():
            return "Start PostgreSQL, or look at STEWARD_DATABASE_URL."
        case StoreBusy():
            return "Try again when it has ended."
        case StoreDamaged():
            what = file or "the database"
            copy = newest(settings.home)
            which = f" (the newest is {copy})" if copy else ""
            return f"Bring {what} back from a backup{which}: see docs/incidents.md."
        case CopyUnwritable():
            return "Make room there, or look at that disk."
        case _:
            return _mend_writing(file, str(fault))


def _mend_writing(file: Path | None, why: str) -> str:
    if "full" in why or "space" in why:
        return f"Make room on the disk of {file or 'the server'}."
    if _WORDS_OF_A_DISK.search(why) or _is_read_only(file):
        where = f"the disk of {file}" if file else "the log and the disk of the server"
        return f"Look at {where}: reading or writing there fails."
    if file is None:
        return "Give the user of STEWARD_DATABASE_URL the right to write."
    return f"Give your user the right to write {file} and its folder."


def _is_read_only(file: Path | None) -> bool:
    try:
        return file is not None and bool(os.statvfs(file.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False
