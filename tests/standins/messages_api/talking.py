"""Talks to a served stand-in with the real SDK and with bare HTTP."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
from anthropic import AsyncAnthropic

from tests.standins.messages_api.app import MessagesApi
from tests.standins.messages_api.wire import Json
from tests.standins.serving import serving


@dataclass(frozen=True)
class Client:
    """The real SDK and a bare HTTP client, both pointed at one stand-in."""

    sdk: AsyncAnthropic
    http: httpx.AsyncClient

    async def post(self, body: Json, **headers: str) -> httpx.Response:
        """Send a body as it is."""
        return await self.http.post("/v1/messages", json=body, headers=headers)

    async def refusal(self, body: Json, **headers: str) -> str:
        """Send a body that is refused; return the error message."""
        response = await self.post(body, **headers)
        assert response.status_code == 400, response.text
        return response.json()["error"]["message"]

    async def events(self, body: Json) -> list[Json]:
        """Send a body for a streamed answer; return its events."""
        response = await self.post({**body, "stream": True})
        assert response.status_code == 200, response.text
        lines = [line for line in response.text.splitlines() if line.startswith("data: ")]
        return [json.loads(line.removeprefix("data: ")) for line in lines]

    async def say(self, body: Json) -> Json:
        """Send a body that is answered; return the message."""
        response = await self.post(body)
        assert response.status_code == 200, response.text
        return response.json()


@asynccontextmanager
async def talking_to(api: MessagesApi) -> AsyncIterator[Client]:
    """Serve the stand-in and yield both clients."""
    headers = {"x-api-key": "test-key", "anthropic-version": "2026-10-21"}
    async with (
        serving(api.app) as url,
        httpx.AsyncClient(base_url=url, headers=headers, verify=False) as http,
        AsyncAnthropic(api_key="test-key", base_url=url, max_retries=0) as sdk,
    ):
        yield Client(sdk, http)
