"""Which link targets the service accepts, and the form it gives them."""

import re
from urllib.parse import urlsplit, urlunsplit

from tests.standins.bot_api.refusal import bad_request

_HOST = re.compile(r"[^\s/?#@]+\.[^\s/?#@.]+")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(?!\d)")


def wrong_link(url: str) -> str | None:
    """What is wrong with a link target, in the service's words; None if it is accepted."""
    scheme = _SCHEME.match(url)
    name = scheme.group(1).lower() if scheme else "http"
    if name in ("tg", "ton"):
        return None if re.fullmatch(r"\w+:(//)?[\w-]+(\?\S*)?", url) else f"Wrong {name} URL"
    if name not in ("http", "https", "tonsite"):
        return "Unsupported URL protocol"
    if any(character.isspace() for character in url):
        return "Wrong HTTP URL"
    try:
        host = urlsplit(url if scheme else f"http://{url}").hostname or ""
    except ValueError:
        return "Wrong HTTP URL"
    return None if _HOST.fullmatch(host) else "Wrong HTTP URL"


def checked_link(url: str) -> str:
    """The link as the service stores it; refused if it leads nowhere."""
    if wrong := wrong_link(url):
        raise bad_request(f"entity URL '{url}' is invalid: {wrong}")
    if url.lower().startswith(("tg:", "ton:")):
        return url
    parts = urlsplit(url if _SCHEME.match(url) else f"http://{url}")
    return urlunsplit(parts._replace(path=parts.path or "/"))
