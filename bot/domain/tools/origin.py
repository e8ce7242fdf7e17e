"""Origins of texts that an owner may trust: one web site, or one tool server."""

import re

from bot.domain.talk.errors import ToolFailure

_SITE = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:]{2,45}\]|[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?)"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?(?=[/?#]|$)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?=.*\.)[a-z0-9_.-]+(?::[0-9]+)?(?:/\S*)?", re.IGNORECASE)
_SERVER = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.IGNORECASE)
_PORTS = {"http": "80", "https": "443"}


def site_of(address: str) -> str | None:
    """Returns the web site of an address, as in https://docs.example; None when it has none."""
    found = _SITE.match(address)
    if found is None:
        return None
    scheme, host, port = found["scheme"].lower(), found["host"].lower(), found["port"] or ""
    return f"{scheme}://{host}" + (f":{port}" if port not in ("", _PORTS[scheme]) else "")


def server_origin(name: str) -> str:
    """Returns the origin of what a tool server of the operator says."""
    return f"server {name.lower()}"


def read_origin(words: tuple[str, ...]) -> str:
    """Returns the origin that a person names; raises ToolFailure for anything wider or else.

    A page stands for its whole site, and a name without a scheme for the site by HTTPS.
    """
    match words:
        case [kind, name] if kind.lower() == "server" and _SERVER.fullmatch(name):
            return server_origin(name)
        case [site] if found := site_of(f"https://{site}" if _NAME.fullmatch(site) else site):
            return found
        case _:
            raise ToolFailure("it is neither one web site nor one tool server")
