"""Opens the database for commands beside the bot, with sentences about one that cannot be used."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from bot.adapters.sql.store import Store, open_store
from bot.domain.errors import SettingError, StoreTooOld, StoreUnwritable
from bot.settings import Settings

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
    except StoreUnwritable as fault:
        raise SettingError(f"{unwritable(fault)} {mend_database(settings, fault)}") from None


def file_of(settings: Settings) -> Path | None:
    """Returns the file of the database; None on a server."""
    url = settings.database_url
    return Path(url.partition(":///")[2]) if url.startswith("sqlite") else None


def unwritable(fault: StoreUnwritable) -> str:
    """Returns what is wrong, as one sentence."""
    return f"The database cannot be read or written: {fault}."


def mend_database(settings: Settings, fault: StoreUnwritable) -> str:
    """Returns what a person can do about it."""
    if not settings.database_url.startswith("sqlite"):
        return "Give the user of STEWARD_DATABASE_URL the right to write."
    file, told = settings.database_url.partition(":///")[2], str(fault)
    if "full" in told:
        return f"Make room on the disk of {file}."
    if "malformed" in told or "not a database" in told:
        return f"Bring {file} back from a backup: see docs/operating.md."
    return f"Give your user the right to write {file} and its folder."
