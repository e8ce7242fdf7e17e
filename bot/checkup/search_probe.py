"""Tries the service that searches the web, for the doctor."""

from bot.bootstrap.web import search
from bot.doctor import Complaint
from bot.domain.talk.errors import ToolFailure
from bot.settings import Settings


async def try_search(settings: Settings) -> str:
    """Searches once, and tells how many things were found; raises Complaint."""
    access = settings.search
    if access is not None and access.service == "anthropic" and not access.fault:
        return "Claude searches by itself while it answers; nothing was tried."
    service = search(settings)
    if access is None or service is None:
        wanted = access.fault if access is not None else "STEWARD_SEARCH"
        raise Complaint(f"{wanted} is not set, so nobody can search.", f"Set {wanted}.", "warn")
    try:
        found = await service.search("weather")
    except ToolFailure as fault:
        told = f"{str(fault)[0].upper()}{str(fault)[1:]}."
        raise Complaint(told, "Look at the settings STEWARD_SEARCH….", "warn") from None
    return f"{service.name} answers, with {len(found)} hits."
