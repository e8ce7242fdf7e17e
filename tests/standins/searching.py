"""Strict search services: Brave, Tavily and SearXNG, which refuse what the real ones refuse."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

KEY = "search-key-nobody-may-ever-see"
_TAVILY_FIELDS = {"query", "max_results", "search_depth", "topic", "time_range", "include_answer"}


class SearchServices:
    """All three at one address; `limited` refuses the next searches as too many."""

    def __init__(self, found: Sequence[Mapping[str, str]] = (), *, json_allowed: bool = True):
        self.found = found
        self.json_allowed = json_allowed
        self.limited = False
        self.queries: list[str] = []
        self.app = Starlette(
            routes=[
                Route("/res/v1/web/search", self._brave),
                Route("/search", self._tavily, methods=["POST"]),
                Route("/search", self._searxng, methods=["GET"]),
            ]
        )

    async def _brave(self, request: Request) -> Response:
        token = request.headers.get("x-subscription-token")
        if token is None:
            return _brave_fault(422, "VALIDATION", "Unable to validate request parameter(s)")
        if token != KEY:
            return _brave_fault(422, "SUBSCRIPTION_TOKEN_INVALID", "The token is invalid")
        if self.limited:
            return _brave_fault(429, "RATE_LIMITED", "Request rate limit exceeded for plan.")
        query, count = request.query_params.get("q", ""), request.query_params.get("count", "20")
        long = len(query) > 400 or len(query.split()) > 50
        if not query or long or not count.isdigit() or not 1 <= int(count) <= 20:
            return _brave_fault(422, "VALIDATION", "Unable to validate request parameter(s)")
        self.queries.append(query)
        rows = [
            {"title": f"<strong>{e['title']}</strong>", "url": e["url"], "description": e["words"]}
            for e in self.found
        ]
        return JSONResponse({"type": "search", "web": {"type": "search", "results": rows}})

    async def _tavily(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {KEY}":
            told = "Unauthorized: missing or invalid API key."
            return JSONResponse({"detail": {"error": told}}, status_code=401)
        if self.limited:
            return JSONResponse({"detail": {"error": "Too many requests."}}, status_code=429)
        body: dict[str, Any] = json.loads(await request.body())
        query = body.get("query")
        if not isinstance(query, str) or not query or body.keys() - _TAVILY_FIELDS:
            return JSONResponse({"detail": [{"type": "missing"}]}, status_code=422)
        if len(query) > 400:
            told = "Query is too long. Max query length is 400 characters."
            return JSONResponse({"detail": {"error": told}}, status_code=400)
        self.queries.append(query)
        rows = [
            {"title": e["title"], "url": e["url"], "content": e["words"], "score": 0.9}
            for e in self.found
        ]
        return JSONResponse({"query": query, "results": rows, "response_time": 0.1})

    async def _searxng(self, request: Request) -> Response:
        query = request.query_params.get("q", "")
        if not query:
            return PlainTextResponse("No query", status_code=400)
        if self.limited:
            return PlainTextResponse("Too Many Requests", status_code=429)
        if request.query_params.get("format") != "json" or not self.json_allowed:
            return PlainTextResponse("Forbidden", status_code=403)
        self.queries.append(query)
        rows = [{"title": e["title"], "url": e["url"], "content": e["words"]} for e in self.found]
        return JSONResponse({"query": query, "results": rows, "answers": []})


def _brave_fault(status: int, code: str, told: str) -> Response:
    error = {"id": "1", "status": status, "code": code, "detail": told}
    return JSONResponse({"type": "ErrorResponse", "error": error}, status_code=status)
