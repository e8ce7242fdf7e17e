"""The port `Search` on Tavily."""

from collections.abc import Sequence

from bot.adapters.web_search.service import Service, hits
from bot.ports.web import WebHit

URL = "https://api.tavily.com"


class Tavily:
    name = "Tavily"

    def __init__(self, key: str, url: str = URL) -> None:
        self._service = Service(self.name, url, key)

    async def search(self, query: str) -> Sequence[WebHit]:
        found = await self._service.answer(
            "POST",
            "/search",
            headers={"Authorization": f"Bearer {self._service.key}"},
            body={"query": query, "max_results": 8, "search_depth": "basic"},
        )
        return hits(found.get("results"), "content", "published_date")
