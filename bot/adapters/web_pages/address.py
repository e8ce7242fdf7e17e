"""Reads an address of the web as a model writes it."""

import re
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

import idna

from bot.domain.errors import ToolFailure
from bot.domain.tool import clipped
from bot.domain.visible_text import one_line

LONGEST = 4_000
"""Characters of an address."""

_PORTS = {"http": 80, "https": 443}
_SAFE = "!$%&'()*+,-./:;=?@_~[]"
_PLAIN_HOST = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*")
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:(?!\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class WebAddress:
    """An address in its one spelling: the host in lower case and punycode, no fragment."""

    scheme: str
    host: str
    """A name, or an IP address without brackets."""
    port: int
    target: str
    """The path with its query, which begins with a slash."""

    @property
    def place(self) -> str:
        """Returns the host and the port, as in example.org:443."""
        return f"{self._bracketed}:{self.port}"

    @property
    def authority(self) -> str:
        """Returns the host, with the port unless it is the scheme's own."""
        return self._bracketed if self.port == _PORTS[self.scheme] else self.place

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def read_address(text: str) -> WebAddress:
    """Returns the address that a text names; one without a scheme is taken for https."""
    text = "".join(text.split("\t")).strip()
    if len(text) > LONGEST:
        raise ToolFailure(f"the address is longer than {LONGEST} characters")
    if any(not letter.isprintable() for letter in text):
        raise ToolFailure("the address holds control characters")
    if not _SCHEME.match(text):
        text = f"https://{text.removeprefix('//')}"
    scheme = text.partition(":")[0].lower()
    if scheme not in _PORTS:
        shown = one_line(clipped(scheme, 20), 20)
        raise ToolFailure(f"only http and https addresses can be fetched, not {shown}:")
    # Browsers take a backslash for a slash, and other readers do not: nobody means either.
    if "\\" in text or not text[len(scheme) + 1 :].startswith("//"):
        raise ToolFailure("the address should look like https://example.org/page")
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname or ""
    except ValueError:
        raise ToolFailure("the address should look like https://example.org/page") from None
    if "@" in parts.netloc:
        raise ToolFailure("the address holds a user name or a password; leave them out")
    if port == 0:
        raise ToolFailure("there is no port 0")
    path = quote(parts.path or "/", safe=_SAFE)
    query = f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
    return WebAddress(scheme, _host(host), port or _PORTS[scheme], path + query)


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
