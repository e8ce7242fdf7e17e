"""The only module that loads the SDK: sends a body, yields raw events, translates its errors.

Requests go through the client's `post`, and events are read before the SDK parses them. The SDK's
typed methods walk the whole history in every call, and its models lose fields they do not know.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing, contextmanager, suppress
from typing import Any
from urllib.parse import quote

import httpx2
from anthropic import (
    AnthropicError,
    APIError,
    APIStatusError,
    AsyncAnthropic,
    AsyncStream,
    DefaultAioHttpClient,
)

from bot.adapters.anthropic.faults import STATUS_OF, fault
from bot.adapters.certificates import certificates
from bot.adapters.provider_calls import CONNECTIONS, TimeBounds, unreached
from bot.domain.money.provider import ProviderSpec
from bot.domain.talk.errors import ModelDenied, ModelError, ModelUnreachable
from bot.domain.talk.limits import ModelTimes
from bot.domain.text.hiding import without_secrets

_ENDING_SECONDS = 1.0
_CHECK_SECONDS = 15.0
_PAGE = 1000
_MOST_PAGES = 5
_MOST_REPLY = 64_000_000
"""Characters of all events of a reply."""


class Connection:
    """An open client; every fault is a ModelError, and its text never contains the key."""

    def __init__(self, spec: ProviderSpec, times: ModelTimes) -> None:
        self._key = spec.key
        self._times = times
        self._bounds = TimeBounds(times, self._translated)
        try:
            self._client = AsyncAnthropic(
                api_key=spec.key,
                base_url=spec.base_url,
                max_retries=0,
                timeout=httpx2.Timeout(None, connect=times.connect_seconds),
                open_telemetry=False,
                http_client=DefaultAioHttpClient(limits=CONNECTIONS, verify=certificates()),
            )
        except httpx2.InvalidURL:
            raise ModelDenied("the provider's base URL is no URL") from None

    async def close(self) -> None:
        await self._client.close()

    async def check(self, model: str) -> None:
        """Asks for the model's entry in the provider's list."""
        async with self._bounds.within(_CHECK_SECONDS, "no answer"):
            await self._client.get(f"/v1/models/{quote(model, safe='')}", cast_to=object)

    async def models(self) -> Sequence[str]:
        """Returns the names in the provider's list, page after page."""
        names: list[str] = []
        async with self._bounds.within(_CHECK_SECONDS, "no answer"):
            for _ in range(_MOST_PAGES):
                query = {"limit": _PAGE, "after_id": names[-1]} if names else {"limit": _PAGE}
                page: Any = await self._client.get(
                    "/v1/models", cast_to=object, options={"params": query}
                )
                try:
                    found = [str(entry["id"]) for entry in page["data"]]
                    more = bool(page.get("has_more"))
                except (TypeError, KeyError, AttributeError):
                    raise ModelUnreachable("the list of models cannot be read") from None
                names += found
                if not (more and found):
                    break
        return names

    async def events(self, body: bytes) -> AsyncGenerator[str]:
        """Yields the data of each event of the reply, the last one after the stream has ended.

        No time limit runs during a `yield`: the limits bound the provider, not the reader.
        """
        ends = self._bounds.end()
        async with self._bounds.opening(ends):
            stream = await self._client.post(
                "/v1/messages",
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=AsyncStream[Any],
            )
        try:
            async with aclosing(self._read(stream, ends)) as data:
                async for each in data:
                    yield each
        finally:
            await stream.close()

    async def _read(self, stream: AsyncStream[Any], ends: float) -> AsyncGenerator[str]:
        events, size = stream.raw_events(stream.response), 0
        silence = self._times.silence_seconds
        loop = asyncio.get_running_loop()
        async with self._bounds.within(silence, "the stream was silent", ends) as bound:
            while (event := await anext(events, None)) is not None:
                # One limit for the whole stream, lifted while the reader has the event. A limit for
                # each event took a quarter of a short call's processor time.
                bound.reschedule(None)
                size += len(event.data)
                if size > _MOST_REPLY:
                    raise ModelUnreachable("the answer was too long")
                if event.event == "error":
                    raise self._in_stream(event.data)
                if event.event == "message_stop":
                    await self._drain(events)
                if event.data:
                    yield event.data
                bound.reschedule(min(loop.time() + silence, ends))

    async def _drain(self, events: Any) -> None:
        """Reads to the end; otherwise the connection could not be used again."""
        with suppress(httpx2.HTTPError, TimeoutError):
            async with asyncio.timeout(_ENDING_SECONDS):
                await anext(events, None)

    def _in_stream(self, data: str) -> ModelError:
        try:
            error = json.loads(data)["error"]
            kind, message = error["type"], str(error.get("message", ""))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            kind, message = "api_error", data
        return fault(STATUS_OF.get(kind, 500), self._without_key(message))

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turns the SDK's errors into ours without their causes, which may contain headers."""
        try:
            yield
        except APIStatusError as error:
            message = error.api_message if isinstance(error.api_message, str) else error.message
            header = error.response.headers.get("retry-after")
            raise fault(error.status_code, self._without_key(message), header) from None
        except (APIError, AnthropicError, httpx2.HTTPError, httpx2.StreamError) as error:
            raise unreached(error, [self._key]) from None
        except (httpx2.InvalidURL, UnicodeError):
            raise ModelUnreachable("the answer could not be read") from None

    def _without_key(self, text: str) -> str:
        return without_secrets(text, [self._key])
