"""Tells who owns the assistant."""

from collections.abc import Sequence

from bot.doctor import Complaint
from bot.domain.talk.person import Person, owned_on_a_platform, owner_names
from bot.settings import Settings

Accounts = Sequence[tuple[str, Person]]
_FIRST = "Nobody yet. The first person who chats in this terminal will be."
_OPEN = "Start Steward and open that link within 15 minutes."


def owner_told(settings: Settings, accounts: Accounts, *, served: bool) -> str:
    """Returns a sentence about the owners, or raises a Complaint with what makes somebody one.

    `served` is true when a platform is set up, so that it needs an owner there.
    """
    missing = [key for key in settings.owners if key not in dict(accounts)]
    names = " and ".join((*owner_names(accounts), *missing))
    if not served:
        return f"{names} owns it." if names else _FIRST
    if missing or owned_on_a_platform(accounts):
        return f"{names} {'own' if ' and ' in names else 'owns'} it."
    link = "the next start prints a pairing link"
    if not names:
        raise Complaint(f"Nobody owns it yet: {link}.", _OPEN, "warn")
    raise Complaint(f"{names} owns it, but in the terminal only: {link}.", _OPEN, "warn")
