"""Reads addresses of the web: as one is fetched, as a link has it, and where a text names them."""

import re
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.public_address import is_public_place
from bot.domain.text.visible_text import clipped, one_line
from bot.domain.value import field, frozen

LONGEST = 4_000
"""Characters of an address."""

MOST_IN_TEXT = 2_000
"""Addresses that are taken out of one text."""

_PORTS = {"http": 80, "https": 443}
_SAFE = "!$%&'()*+,-./:;=?@_~[]"
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:(?!\d)")
_OF_THE_WEB = re.compile(r"[hH][tT][tT][pP][sS]?://")

_STOPS = r"\s<>\"`“”„«»‹›。，、；：！？（）「」『』【】《》"  # signs that end an address
_BEGUN = re.compile(
    rf"{_OF_THE_WEB.pattern}(?=[^{_STOPS}])|"
    r"(?<![\w.@/:%&=?#~-])(?:[a-zA-Z0-9-]++\.)+[a-zA-Z]{2,24}(?![\w-])(?::\d{1,5})?"
    r"(?P<host>(?![/?#]))?"
)
"""The beginning of an address: all that comes before a bracket may stand. `host` has no path."""
_UP_TO_BRACKET = re.compile(rf"(?:\\[^{_STOPS}]?+|[^{_STOPS}\\()\[\]{{}}]++)*+")
_PAIRS = {")": "(", "]": "[", "}": "{"}
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_SENTENCE_ENDS = ".,;:!?'*_~|…’"


@frozen
class WebAddress:
    """An address in its one spelling: scheme and host in lower case, and no fragment."""

    scheme: str
    host: str
    """A name, or an IP address without brackets; one in other letters than ASCII as it was."""
    port: int
    target: str
    """The path with its query, which begins with a slash."""
    link: str = field(default="", compare=False)
    """The address as a link has it: scheme and host in lower case, all else as it was written."""

    @property
    def place(self) -> str:
        """Returns the host and the port, as in example.org:443."""
        return f"{self._bracketed}:{self.port}"

    @property
    def authority(self) -> str:
        """Returns the host, with the port unless it is the scheme's own."""
        return self._bracketed if self.port == _PORTS[self.scheme] else self.place

    @property
    def private(self) -> bool:
        """Returns True for a place that is not public by its very name, as 127.0.0.1 is."""
        return not is_public_place(self.host)

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def read_address(text: str) -> WebAddress:
    """Returns the address that a text names; one without a scheme is taken for https.

    Raises ToolFailure for one that nobody can fetch.
    """
    text = "".join(text.split("\t")).strip()
    if len(text) > LONGEST:
        raise ToolFailure(f"the address is longer than {LONGEST} characters")
    if not text.isprintable():
        raise ToolFailure("the address holds control characters")
    if not _SCHEME.match(text):
        text = f"https://{text.removeprefix('//')}"
    scheme = text.partition(":")[0].lower()
    if scheme not in _PORTS:
        shown = one_line(clipped(scheme, 20), 20)
        raise ToolFailure(f"only http and https addresses can be fetched, not {shown}:")
    rest = text[len(scheme) + 1 :]
    # Browsers take a backslash for a slash, and other readers do not: nobody means either.
    if "\\" in text or not rest.startswith("//"):
        raise ToolFailure("the address should look like https://example.org/page")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ToolFailure("the address should look like https://example.org/page") from None
    if "@" in parts.netloc:
        raise ToolFailure("the address holds a user name or a password; leave them out")
    if port == 0:
        raise ToolFailure("there is no port 0")
    path = quote(parts.path or "/", safe=_SAFE)
    query = f"?{quote(parts.query, safe=_SAFE)}" if parts.query else ""
    place = _lower(parts.netloc)
    host = _host(place)
    behind = rest[len(place) + 2 :]
    link = f"{scheme}://{place}{'' if behind.startswith('/') else '/'}{behind}"
    return WebAddress(scheme, host, port or _PORTS[scheme], path + query, link)


def link_of(target: str) -> str | None:
    """Returns the one spelling of the target of a link; None for one that leads not to the web."""
    if _OF_THE_WEB.match(target) is None:
        return None
    try:
        return read_address(target).link
    except ToolFailure:
        return None


def named_in(text: str) -> Iterator[WebAddress]:
    """Yields the addresses that a text names, each as one reader would take it; the first 2,000.

    Signs that end a sentence or close a bracket around an address are no part of it.
    """
    at = 0
    for _ in range(MOST_IN_TEXT):
        found = _BEGUN.search(text, at)
        if found is None:
            return
        at = found.end() if found["host"] is not None else _end_within(text, found.end())
        whole = _ESCAPED.sub(r"\1", text[found.start() : at]).rstrip(_SENTENCE_ENDS)
        try:
            yield read_address(whole)
        except ToolFailure:
            continue


def links_in(*texts: str) -> tuple[str, ...]:
    """Returns the addresses that some texts name, each once, as a link has it."""
    return tuple(dict.fromkeys(address.link for text in texts for address in named_in(text)))


def _end_within(text: str, at: int) -> int:
    """Returns the end of an address that goes on here: up to a bracket that closes none of its own.

    Nothing behind the end is read, or a text full of brackets would be read again and again.
    """
    opened, most = list[str](), at + LONGEST
    while (found := _UP_TO_BRACKET.match(text, at, most)) is not None:
        at = found.end()
        sign = text[at : at + 1] if at < most else ""
        if sign in _PAIRS.values():
            opened.append(sign)
        elif not opened or opened.pop() != _PAIRS.get(sign):
            break
        at += 1
    return at


def _host(place: str) -> str:
    if place.startswith("["):
        return place[1:].partition("]")[0]
    host = place.partition(":")[0]
    return host.removesuffix(".") if host.isascii() else host


def _lower(place: str) -> str:
    """Returns a place in lower case; other letters than those of ASCII may fold into them."""
    return place.lower() if place.isascii() else place
