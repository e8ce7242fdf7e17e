"""A web in memory: pages, their reader, and a search."""

from collections.abc import Mapping, Sequence

from bot.domain.talk.picture import ImagePart
from bot.ports.attachments import DocumentText, NotRead, Reading
from bot.ports.web import WebHit, WebPage


class FakePages:
    """A web where every page holds the same; `moved` tells where an address leads."""

    def __init__(
        self,
        body: bytes = b"<html>",
        kind: str = "text/html",
        moved: Mapping[str, str] | None = None,
        places: frozenset[str] = frozenset(),
    ) -> None:
        self.places = places
        self.moved = moved or {}
        self.fetched: list[str] = []
        self._body = body
        self._kind = kind

    def address(self, url: str) -> str:
        return url

    async def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        return WebPage(self.moved.get(url, url), self._body, self._kind)


class FakePageReader:
    def __init__(self, text: str, picture: ImagePart | None = None) -> None:
        self.text = text
        self.picture = picture

    async def read(self, data: bytes, name: str) -> Reading:
        return self.picture or NotRead("is not read here")

    async def read_page(self, data: bytes, address: str, charset: str) -> Reading:
        return DocumentText(self.text)


class FakeSearch:
    name = "FakeSearch"

    def __init__(self, *hits: WebHit) -> None:
        self._hits = hits or (WebHit("Ships", "https://ships.example/1", "All about ships."),)

    async def search(self, query: str) -> Sequence[WebHit]:
        return self._hits
