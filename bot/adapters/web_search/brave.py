"""The port `Search` on Brave's search API."""

import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape

from bot.adapters.web_search.service import Service, hits
from bot.ports.web import WebHit

URL = "https://api.search.brave.com"
_MOST_WORDS = 50
"""Words of a query that Brave takes; of characters it takes 400."""

_MARKS = re.compile(r"</?strong>")


class Brave:
    name = "Brave"

    def __init__(self, key: str, url: str = URL) -> None:
        self._service = Service(self.name, url, key)

    async def search(self, query: str) -> Sequence[WebHit]:
        found = await self._service.answer(
            "GET",
            "/res/v1/web/search",
            params={"q": " ".join(query.split()[:_MOST_WORDS]), "count": "8"},
            headers={"X-Subscription-Token": self._service.key},
        )
        web = found.get("web")
        listed = web.get("results") if isinstance(web, dict) else None
        return [
            replace(hit, title=_plain(hit.title), words=_plain(hit.words))
            for hit in hits(listed, "description", "page_age", "age")
        ]


def _plain(text: str) -> str:
    return unescape(_MARKS.sub("", text))
