"""Pages of the web, and searches for them."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.value import frozen
from bot.ports.attachments import Reading


@frozen
class WebPage:
    """The body of a page, with the address that it came from in the end."""

    address: str
    body: bytes
    kind: str
    """The media type that the server named, in lower case; empty without one."""
    charset: str = ""
    """The encoding that the server named."""
    modified: str = ""
    """The date that the server named."""


@frozen
class WebHit:
    """One thing that a search found."""

    title: str
    address: str
    words: str = ""
    date: str = ""


class Pages(Protocol):
    @property
    def places(self) -> frozenset[str]:
        """Returns the places, as in 127.0.0.1:80, that may be fetched from although private."""
        ...

    def address(self, url: str) -> str:
        """Returns the one spelling of an address; raises ToolFailure if it cannot be fetched."""
        ...

    async def fetch(self, url: str) -> WebPage:
        """Fetches a page within bounds; raises ToolFailure, whose text says what may help."""
        ...


class PageReader(Protocol):
    async def read(self, data: bytes, name: str) -> Reading:
        """Reads a file that is no page, recognised by its content; never raises."""
        ...

    async def read_page(self, data: bytes, address: str, charset: str) -> Reading:
        """Returns the readable text of HTML or of a feed as Markdown; never raises."""
        ...


class Search(Protocol):
    @property
    def name(self) -> str:
        """Returns the name of the service, for people."""
        ...

    async def search(self, query: str) -> Sequence[WebHit]:
        """Returns what was found, the best first; raises ToolFailure."""
        ...
