"""The decisions of owners about the searches that providers make themselves.

They are kept beside the consents for tool servers: a search is a service that an owner lets in.
"""

from collections.abc import Iterable
from datetime import datetime

from bot.domain.money.provider import OWN_SEARCHES
from bot.domain.tools.server import ServerConsent
from bot.domain.value import frozen

_OF_A_SEARCH = "search:"

SWITCH_ON = "✅ Switch on"
"""The label of the button by which a card is known that offers a search."""


@frozen
class OwnSearch:
    """The search of a provider that has a key."""

    price: str
    """As in “$10 for 1,000 searches”."""
    on: bool = False
    """True where a setting switches it on."""


@frozen
class Searches:
    """The providers whose search is on, and those that an owner does not want to be asked about."""

    on: frozenset[str] = frozenset()
    decided: frozenset[str] = frozenset()


def decision(provider: str, *, on: bool, at: datetime) -> ServerConsent:
    """Returns a decision as it is kept; there is one row for on, and another one for off."""
    return ServerConsent(identity(provider, on=on), OWN_SEARCHES[provider], "search", at)


def identity(provider: str, *, on: bool) -> str:
    return f"{_OF_A_SEARCH}{'on' if on else 'off'}:{provider}"


def is_offer(labels: Iterable[str]) -> bool:
    """Returns whether a card with these buttons offers a search; no work hangs on it."""
    return SWITCH_ON in labels


def is_search(consent: ServerConsent) -> bool:
    return consent.identity.startswith(_OF_A_SEARCH)


def searches_of(consents: Iterable[ServerConsent]) -> Searches:
    kept = {consent.identity for consent in consents}
    on = {provider for provider in OWN_SEARCHES if identity(provider, on=True) in kept}
    off = {provider for provider in OWN_SEARCHES if identity(provider, on=False) in kept}
    return Searches(frozenset(on), frozenset(on | off))
