"""Asks a search service over HTTP, within bounds; its faults become one sentence."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.adapters.certificates import certificates
from bot.domain.talk.errors import ToolFailure
from bot.domain.talk.unreached import why_unreached
from bot.ports.web import WebHit

if TYPE_CHECKING:
    import httpx2

_MOST_ANSWER = 2_000_000
"""Bytes of an answer."""

_SECONDS = 20.0
_DENIED = (401, 402, 403)


class Service:
    """The HTTP side of every search service; opens a connection for each search."""

    def __init__(self, name: str, url: str, key: str = "") -> None:
        self.name = name
        self.url = url.rstrip("/")
        self.key = key

    async def answer(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any]:
        """Returns the JSON object of an answer; raises ToolFailure."""
        import httpx2  # it takes a while, and few installations search

        context = await asyncio.to_thread(certificates)
        try:
            async with (
                asyncio.timeout(_SECONDS),
                # No proxy and no login that only the environment names.
                httpx2.AsyncClient(verify=context, trust_env=False, timeout=_SECONDS) as client,
                client.stream(
                    method,
                    f"{self.url}{path}",
                    params=params,
                    headers={"Accept": "application/json", "Accept-Encoding": "identity"}
                    | dict(headers or {}),
                    json=body,
                ) as response,
            ):
                return self._judged(response.status_code, await self._body(response))
        except TimeoutError:
            raise ToolFailure(f"{self.name} gave no answer within {_SECONDS:g} s") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError) as error:
            raise ToolFailure(f"{self.name} is not reached: {why_unreached(error)}") from None

    async def _body(self, response: "httpx2.Response") -> bytes:
        whole = bytearray()
        # Raw bytes: what is packed was not asked for, and might unpack to anything.
        async for piece in response.aiter_raw():
            whole += piece
            if len(whole) > _MOST_ANSWER:
                raise ToolFailure(f"the answer of {self.name} is too long")
        return bytes(whole)

    def _judged(self, status: int, body: bytes) -> Mapping[str, Any]:
        if status in _DENIED or (status == 422 and b"TOKEN" in body):
            told = "see STEWARD_SEARCH_KEY" if self.key else "STEWARD_SEARCH_KEY is not set"
            if self.name == "SearXNG":
                told = "its settings must allow the format json"
            raise ToolFailure(f"{self.name} refuses the search (HTTP {status}); {told}")
        if status == 429:
            raise ToolFailure(f"{self.name} gets too many searches just now; try later")
        if status in (400, 414, 422):
            raise ToolFailure(f"{self.name} does not take this search; try fewer, plainer words")
        if status != 200:
            raise ToolFailure(f"{self.name} has a fault (HTTP {status}); try later")
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ToolFailure(f"the answer of {self.name} cannot be read")
        return found


def hits(found: Any, words: str, *dates: str) -> Sequence[WebHit]:
    """Returns the entries of a list that have an address of the web."""
    entries = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
    return [
        WebHit(_text(each, "title"), address, _text(each, words), _first(each, dates))
        for each in entries
        if (address := _text(each, "url")).startswith(("http://", "https://"))
        and address.isprintable()
        and len(address) <= 2_000
    ]


def _first(entry: Mapping[str, Any], names: Sequence[str]) -> str:
    return next((told for name in names if (told := _text(entry, name))), "")


def _text(entry: Mapping[str, Any], name: str) -> str:
    told = entry.get(name)
    return told[:4_000] if isinstance(told, str) else ""
