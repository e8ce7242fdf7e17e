"""Talks to a served stand-in with the real SDK and with bare HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from openai import AsyncOpenAI

from tests.standins.chat_completions.app import ChatCompletions
from tests.standins.messages_api.wire import Json
from tests.standins.serving import serving


@dataclass(frozen=True)
class Client:
    """The real SDK and a bare HTTP client, both pointed at one stand-in."""

    sdk: AsyncOpenAI
    http: httpx.AsyncClient

    async def refusal(self, body: Json) -> dict[str, Any]:
        """Send a body that is refused; return the error."""
        response = await self.http.post("/v1/chat/completions", json=body)
        assert response.status_code == 400, response.text
        return response.json()["error"]

    async def accepted(self, body: Json) -> Json:
        """Send a body that is answered; return the completion."""
        response = await self.http.post("/v1/chat/completions", json=body)
        assert response.status_code == 200, response.text
        return response.json()


@asynccontextmanager
async def talking_to(api: ChatCompletions) -> AsyncIterator[Client]:
    """Serve the stand-in and yield both clients."""
    headers = {"authorization": "Bearer test-key"}
    async with (
        serving(api.app) as url,
        httpx.AsyncClient(base_url=url, headers=headers, verify=False) as http,
        AsyncOpenAI(api_key="test-key", base_url=f"{url}/v1", max_retries=0) as sdk,
    ):
        yield Client(sdk, http)
