"""Reads an address of the web as it is sent: a host in other letters becomes punycode."""

import re
from dataclasses import replace
from urllib.parse import urljoin

import idna

from bot.domain.talk import web_address
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.web_address import WebAddress

_PLAIN_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")


def read_address(text: str) -> WebAddress:
    """Returns the address that a text names; one without a scheme is taken for https."""
    address = web_address.read_address(text)
    return replace(address, host=_host(address.host))


def joined(base: WebAddress, link: str) -> WebAddress:
    """Returns the address to which a page or a redirect points."""
    try:
        whole = urljoin(str(base), link.strip())
    except ValueError:
        raise ToolFailure("the page redirects to something that is no address") from None
    return read_address(whole)


def _host(host: str) -> str:
    """Returns a host in lower case, a name in letters of ASCII; a dot at its end is dropped."""
    if ":" in host:
        return host.lower()
    try:
        plain = host if host.isascii() else idna.encode(host, uts46=True, transitional=False)
    except (idna.IDNAError, UnicodeError, IndexError):
        raise ToolFailure("the address names a host that cannot exist") from None
    name = (plain if isinstance(plain, str) else plain.decode()).lower().removesuffix(".")
    if len(name) > 253 or not _PLAIN_HOST.fullmatch(name):
        raise ToolFailure("the address names no host, or one that cannot exist")
    return name
