"""The port `Pages`: fetches from public addresses, within bounds of size, time and redirects."""

import asyncio
import re
from collections.abc import Awaitable
from email.message import Message

from bot.adapters.web_pages.address import WebAddress, joined, read_address
from bot.adapters.web_pages.asking import BrokenOff, Overworked, asked
from bot.adapters.web_pages.public_network import (
    NoSuchHost,
    NotPublic,
    PublicNetwork,
    Resolver,
    system_resolver,
)
from bot.adapters.web_pages.unpacking import NotUnpacked, TooLarge
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.limits import WebBounds
from bot.domain.value import frozen
from bot.ports.web import WebPage

_AGENT = "Steward/1.0 (a self-hosted assistant; fetches for a person)"
_ACCEPTED = (
    "text/html, application/xhtml+xml, text/*;q=0.9, application/pdf;q=0.9, "
    "application/json;q=0.8, image/*;q=0.5, */*;q=0.3"
)
_MOVED = (301, 302, 303, 307, 308)
_CHARSET = re.compile(r"[a-z0-9][a-z0-9._:-]{0,39}")
"""The name of an encoding; some ways to write one in a header can hold any character."""


@frozen
class Reach:
    """The hosts that may be fetched from; without `only` names all public ones but the `denied`.

    A name covers its subdomains. A name with a port, as in 127.0.0.1:8080, allows exactly that
    place, even one that is not public.
    """

    only: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()

    def places(self) -> frozenset[str]:
        """Returns the exact places that may be anywhere."""
        return frozenset(name for name in self.only if _has_port(name))

    def check(self, address: WebAddress) -> None:
        """Raises ToolFailure for an address that the operator did not mean."""
        if _covered(address, self.denied):
            raise ToolFailure(f"{address.host} is on this installation's list of denied hosts")
        names = {name for name in self.only if not _has_port(name)}
        if names and not _covered(address, self.only):
            raise ToolFailure(f"{address.host} is not on this installation's list of hosts")


class WebPages:
    """Every connection is made anew: nothing of one fetch reaches the next.

    This process looks names up, judges them and connects; it parses nothing that a server sends.
    """

    def __init__(
        self, bounds: WebBounds, reach: Reach, resolver: Resolver = system_resolver
    ) -> None:
        self._bounds = bounds
        self._reach = reach
        self._network = PublicNetwork(reach.places(), resolver)
        self._room = asyncio.Semaphore(bounds.at_once)

    @property
    def places(self) -> frozenset[str]:
        return self._reach.places()

    def address(self, url: str) -> str:
        address = read_address(url)
        self._reach.check(address)
        return str(address)

    async def fetch(self, url: str) -> WebPage:
        seconds = self._bounds.seconds
        try:
            async with self._room, asyncio.timeout(seconds):
                return await self._followed(read_address(url))
        except TimeoutError:
            told = f"the page did not arrive within {seconds:g} s; try another source"
            raise ToolFailure(told) from None

    async def _followed(self, address: WebAddress) -> WebPage:
        for _ in range(self._bounds.redirects + 1):
            self._reach.check(address)
            found = await _told(address, self._asked(address))
            if isinstance(found, WebPage):
                return found
            if found.place in self.places and address.place not in self.places:
                raise ToolFailure(f"the page leads to {found.place}, which only a person may name")
            address = found
        raise ToolFailure(f"the page redirects more than {self._bounds.redirects} times")

    async def _asked(self, address: WebAddress) -> WebPage | WebAddress:
        """Returns the page, or the address to which it moved."""
        connection = await self._network.connect(address.host, address.port)
        headers = (
            ("Host", address.authority),
            ("User-Agent", _AGENT),
            ("Accept", _ACCEPTED),
            ("Accept-Encoding", "gzip, deflate"),
            ("Connection", "close"),
        )
        told = await asked(connection, address, headers, self._bounds.bytes)
        if told.status in _MOVED and told.headers["location"]:
            return joined(address, _as_sent(told.headers["location"]))
        if told.status != 200:
            raise ToolFailure(refusal(told.status, address.host))
        kind, charset = _kind(told.headers["content-type"])
        modified = told.headers["last-modified"][:40]
        return WebPage(str(address), told.body, kind, charset, modified)


async def _told(
    address: WebAddress, asked: Awaitable[WebPage | WebAddress]
) -> WebPage | WebAddress:
    """Returns what was found; every fault of the network becomes one short sentence."""
    host = address.host
    try:
        return await asked
    except NotPublic:
        told = f"{host} is not a public address, and only public ones are fetched"
    except NoSuchHost:
        told = f"there is no host {host}; check the spelling"
    except TooLarge:
        told = "the page is larger than may be fetched; look for a smaller one"
    except NotUnpacked as fault:
        told = f"{host} sent a page that cannot be read: {fault}"
    except Overworked:
        told = f"{host} sent a page that takes too long to be read; try another source"
    except TimeoutError:
        told = f"{host} does not answer; try another source"
    except BrokenOff as fault:
        told = f"{host} cannot be reached ({fault}); try another source"
    except OSError:
        told = f"{host} cannot be reached (no connection); try another source"
    raise ToolFailure(told)


def _as_sent(location: str) -> str:
    """Returns a header's text; most servers send UTF-8, whatever the standard says."""
    try:
        return location.encode("latin-1").decode()
    except UnicodeDecodeError:
        return location


def _kind(content_type: str) -> tuple[str, str]:
    told = Message()
    told["content-type"] = content_type[:200] or "application/octet-stream"
    kind = told.get_content_type().lower() if content_type else ""
    charset = told.get_content_charset() or ""
    return kind, charset if _CHARSET.fullmatch(charset) else ""


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and (name.count(":") == 1 or "]:" in name)


def _covered(address: WebAddress, names: frozenset[str]) -> bool:
    host = address.host
    parents = {host[at + 1 :] for at, letter in enumerate(host) if letter == "."}
    return not names.isdisjoint({host, address.place, *parents})


_MEANINGS = {
    401: "asks for a login; only pages without one can be read",
    402: "asks for money",
    403: "does not give this page to programs; try another source",
    404: "has no such page; look for the right address with a search or on its start page",
    407: "asks for the login of a proxy",
    410: "has removed this page",
    429: "gets too many requests just now; try later or another source",
    451: "may not show this page here for legal reasons",
}


def refusal(status: int, host: str) -> str:
    """Returns one sentence about a status that brings no page."""
    if status in _MEANINGS:
        told = _MEANINGS[status]
    elif status >= 500:
        told = "has a fault of its own just now; try later or another source"
    else:
        told = "does not give this page"
    return f"{host} {told} (HTTP {status})"
