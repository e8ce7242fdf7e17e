"""The sentences about a database that cannot be read or written."""

from bot.domain.errors import StoreUnwritable
from bot.settings import Settings


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
