"""The port `Search` on a SearXNG server."""

from collections.abc import Sequence

from bot.adapters.web_search.service import Service, hits
from bot.ports.web import WebHit


class SearXNG:
    name = "SearXNG"

    def __init__(self, url: str) -> None:
        self._service = Service(self.name, url)

    async def search(self, query: str) -> Sequence[WebHit]:
        params = {"q": query, "format": "json"}
        found = await self._service.answer("GET", "/search", params=params)
        return hits(found.get("results"), "content", "publishedDate")
