"""The names under which the page may be asked for; every other one is refused."""

import re
from urllib.parse import urlsplit

from bot.domain.value import frozen

_HOST = re.compile(
    r"(?P<name>\[[0-9a-f:]{2,39}\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(?P<port>[1-9][0-9]{0,4}))?"
)
_PORTS = {"http": 80, "https": 443}
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@frozen
class Origins:
    """The exact origins of a page, as scheme, host and port."""

    known: frozenset[tuple[str, str, int]]
    first: str
    """The origin that links to the page have."""

    @classmethod
    def of(cls, port: int, public: str | None = None) -> "Origins":
        """Returns the loopback names of a port, or the one public address instead."""
        if public is None:
            known = {("http", name, port) for name in LOOPBACK}
            return cls(frozenset(known), f"http://{LOOPBACK[0]}:{port}")
        parts = urlsplit(public)
        found = _host(parts.netloc.lower(), parts.scheme)
        assert found is not None
        return cls(frozenset({(parts.scheme, *found)}), f"{parts.scheme}://{parts.netloc}")

    @property
    def secure(self) -> bool:
        """Returns True where browsers come by TLS."""
        return self.first.startswith("https:")

    def has_host(self, host: str) -> bool:
        """Tells if a Host header is exactly one of these, whatever stands before or behind it."""
        return any(_host(host.lower(), scheme) == (name, port) for scheme, name, port in self.known)

    def has(self, origin: str) -> bool:
        """Tells if an Origin header is exactly one of these."""
        scheme, _, host = origin.lower().partition("://")
        found = _host(host, scheme)
        return found is not None and (scheme, *found) in self.known


def _host(host: str, scheme: str) -> tuple[str, int] | None:
    """Returns the name and the port; None for anything but a plain host."""
    match = _HOST.fullmatch(host)
    if match is None or scheme not in _PORTS:
        return None
    return match["name"], int(match["port"] or _PORTS[scheme])
