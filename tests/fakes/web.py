"""A web in memory: pages, their reader, and a search."""

from collections.abc import Sequence

from bot.ports.attachments import DocumentText, NotRead, Reading
from bot.ports.web import WebHit, WebPage


class FakePages:
    """A web of texts; `fetched` are the addresses that were asked for."""

    def __init__(self, **texts: str) -> None:
        self.texts = texts
        self.fetched: list[str] = []

    def address(self, url: str) -> str:
        return url

    async def fetch(self, url: str) -> WebPage:
        self.fetched.append(url)
        return WebPage(url, b"<html>", "text/html")


class FakePageReader:
    def __init__(self, text: str) -> None:
        self.text = text

    async def read(self, data: bytes, name: str) -> Reading:
        return NotRead("is not read here")

    async def read_page(self, data: bytes, address: str, charset: str) -> Reading:
        return DocumentText(self.text)


class FakeSearch:
    name = "FakeSearch"

    def __init__(self, *hits: WebHit) -> None:
        self._hits = hits or (WebHit("Ships", "https://ships.example/1", "All about ships."),)

    async def search(self, query: str) -> Sequence[WebHit]:
        return self._hits
