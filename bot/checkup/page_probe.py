"""Looks at the page in the browser: its port, its public address, and who may pass requests on."""

import asyncio
from collections.abc import Sequence
from functools import partial
from ipaddress import ip_address

import httpx

from bot.bootstrap.page import SETTING, is_taken
from bot.doctor import Check, Complaint
from bot.settings import Settings
from bot.settings.sections import PageAccess

_SECONDS = 3.0
_ABOUT = "See docs/page.md."
_PROXIES = "STEWARD_WEB_PROXIES"
_OURS = "style-src 'self'; img-src 'self' blob:"
"""Words of the policy that every answer of the page carries, also a refusal."""


def page_checks(settings: Settings) -> Sequence[Check]:
    """Returns the check of the page; none when it is off."""
    if not settings.page.port:
        return ()
    return (Check("page", partial(_probe, settings.page), _ABOUT, "warn"),)


async def _probe(access: PageAccess) -> str:
    """Returns where the page is, or will be; raises Complaint."""
    _look_at_proxies(access)
    here = f"http://127.0.0.1:{access.port}"
    address = access.public_url or here
    if not await asyncio.to_thread(is_taken, access.port):
        return f"A start serves it at {address}; port {access.port} of 127.0.0.1 is free."
    if await _answer(here) is None:
        told = f"Port {access.port} of 127.0.0.1 is used by another program, so the page is off."
        raise Complaint(told, f"Change {SETTING}, or end that program.", "warn")
    if access.public_url and await _answer(access.public_url) != 200:
        told = f"It is served on port {access.port}, but {access.public_url} does not lead to it."
        raise Complaint(told, f"Look at the proxy and its certificate. {_ABOUT}", "warn")
    return f"It is served at {address}."


def _look_at_proxies(access: PageAccess) -> None:
    """Raises Complaint for addresses that can never ask, since the page listens on loopback."""
    far = [one for one in access.proxies if not ip_address(one).is_loopback]
    if far or not access.proxies:
        named = ", ".join(far) or "Nobody"
        told = f"{named} can never ask for the page: it listens on 127.0.0.1 alone."
        mend = f"Set {_PROXIES} to the address from which the proxy comes, as in 127.0.0.1."
        raise Complaint(told, mend, "warn")


async def _answer(address: str) -> int | None:
    """Returns the status with which our page answers at an address; None where it does not."""
    try:
        async with httpx.AsyncClient(trust_env=False, timeout=_SECONDS) as client:
            answer = await client.get(f"{address}/enter")
    except httpx.HTTPError:
        return None
    return (
        answer.status_code if _OURS in answer.headers.get("content-security-policy", "") else None
    )
