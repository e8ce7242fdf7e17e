"""The only module that loads the SDK: sends a body, yields raw events, translates its errors.

Requests go through the client's `post`, and the bytes are read before the SDK parses them: its
typed methods walk the whole history in every call, its models lose fields they do not know, and
one event that is no JSON ends its stream with a bare ValueError.
"""

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import aclosing, contextmanager
from typing import Any

import httpx2
from openai import (
    APIError,
    APIStatusError,
    AsyncOpenAI,
    AsyncStream,
    DefaultAioHttpClient,
    Omit,
    OpenAIError,
)

from bot.adapters.certificates import certificates
from bot.adapters.openai.event_stream import END, EventStream
from bot.adapters.openai.faults import fault
from bot.adapters.provider_calls import CONNECTIONS, TimeBounds, unreached
from bot.adapters.provider_faults import error_told
from bot.domain.money.provider import OPENAI, ProviderSpec
from bot.domain.talk.errors import ModelDenied, ModelError, ModelUnreachable
from bot.domain.talk.limits import ModelTimes
from bot.domain.text.hiding import without_secrets

_CHECK_SECONDS = 15.0
_ENDING_SECONDS = 1.0
_MOST_BODY = 64_000_000
"""Bytes of a reply, and of a list of models."""

_FOR_OPENAI = ("OpenAI-Organization", "OpenAI-Project")

_STATUS_OF = {"server_error": 500, "rate_limit_exceeded": 429}
"""The status of a reply that failed in the middle; with another code the request is at fault."""

_NO_KEY = "none"
"""Stands in the header for a server that wants no key; the SDK insists on one."""


class Connection:
    """An open client; every fault is a ModelError, and its text never contains a secret."""

    def __init__(self, spec: ProviderSpec, times: ModelTimes) -> None:
        self._secrets = (spec.key, *spec.secrets)
        self._times = times
        self._bounds = TimeBounds(times, self._translated)
        self._setting = spec.key_name
        try:
            self._client = AsyncOpenAI(
                api_key=spec.key or _NO_KEY,
                base_url=spec.base_url,
                default_headers=_headers(spec),
                max_retries=0,
                timeout=httpx2.Timeout(None, connect=times.connect_seconds),
                http_client=DefaultAioHttpClient(limits=CONNECTIONS, verify=certificates()),
            )
        except httpx2.InvalidURL:
            raise ModelDenied("the provider's base URL is no URL") from None

    async def close(self) -> None:
        await self._client.close()

    async def models(self) -> Mapping[str, Mapping[str, Any]]:
        """Returns the entries of the server's list of models by their ids."""
        async with self._bounds.within(_CHECK_SECONDS, "no answer"):
            response = await self._client.get("/models", cast_to=httpx2.Response)
        try:
            listed = json.loads(response.content[:_MOST_BODY])["data"]
            return {str(entry["id"]): entry for entry in listed if isinstance(entry, Mapping)}
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ModelUnreachable("the server's list of models cannot be read") from None

    async def speech(self, words: str, model: str, voice: str, most_bytes: int) -> bytes:
        """Returns words as sound, in Ogg with Opus; ModelUnreachable when it is larger."""
        whole = bytearray()
        async with (
            self._bounds.within(self._times.call_seconds, "no answer"),
            self._client.audio.speech.with_streaming_response.create(
                input=words, model=model, voice=voice, response_format="opus"
            ) as response,
        ):
            async for piece in response.iter_bytes():
                whole += piece
                if len(whole) > most_bytes:
                    raise ModelUnreachable("the answer was too long")
        return bytes(whole)

    async def events(self, body: bytes, path: str) -> AsyncGenerator[str]:
        """Yields the data of each event, and END when the server said that the reply is whole.

        A reply that comes in one piece is one event. No time limit runs during a `yield`: the
        limits bound the provider, not the reader.
        """
        ends = self._bounds.end()
        async with self._bounds.opening(ends):
            stream = await self._client.post(
                path,
                content=body,
                cast_to=object,
                stream=True,
                stream_cls=AsyncStream[Any],
                options={"headers": {"Content-Type": "application/json"}},
            )
        try:
            reading = self._streamed(stream.response, ends)
            if "event-stream" not in stream.response.headers.get("content-type", ""):
                reading = self._in_one_piece(stream.response, ends)
            async with aclosing(reading) as data:
                async for each in data:
                    yield each
        finally:
            await stream.close()

    async def _streamed(self, response: httpx2.Response, ends: float) -> AsyncGenerator[str]:
        events, silence = EventStream(), self._times.silence_seconds
        loop = asyncio.get_running_loop()
        pieces, size = response.aiter_bytes(), 0
        async with self._bounds.within(silence, "the stream was silent", ends) as bound:
            while (piece := await anext(pieces, None)) is not None:
                # One limit for the whole stream, lifted while the reader has the event.
                bound.reschedule(None)
                size += len(piece)
                if size > _MOST_BODY:
                    raise ModelUnreachable("the answer was too long")
                for data in events.feed(piece):
                    if data.strip() == END:
                        await _drained(pieces)
                        yield END
                        return
                    yield self._sound(data)
                bound.reschedule(min(loop.time() + silence, ends))
            for data in events.end():
                yield END if data.strip() == END else self._sound(data)

    async def _in_one_piece(self, response: httpx2.Response, ends: float) -> AsyncGenerator[str]:
        whole = bytearray()
        kind = response.headers.get("content-type", "").partition(";")[0] or "no type"
        async with self._bounds.within(self._times.silence_seconds, "the answer was silent", ends):
            async for piece in response.aiter_bytes():
                whole += piece
                if len(whole) > _MOST_BODY:
                    raise ModelUnreachable("the answer was too long")
        if "json" not in kind:
            raise ModelUnreachable(f"the address answered with {kind}, which is no reply")
        yield self._sound(whole.decode(errors="replace"))
        yield END

    def _sound(self, data: str) -> str:
        """Returns the data of an event; raises the fault that it tells of."""
        if '"error"' not in data:
            return data
        try:
            event = json.loads(data)
        except (ValueError, RecursionError):
            return data
        told = _told_fault(event) if isinstance(event, Mapping) else None
        if told is None:
            return data
        status, words, code = error_told(told, 500)
        if event.get("type") == "response.failed":
            status = _STATUS_OF.get(code, 400)
        raise fault(status, self._hidden(words), code=code, setting=self._setting)

    @contextmanager
    def _translated(self) -> Generator[None]:
        """Turns the SDK's errors into ours without their causes, which may contain headers."""
        try:
            yield
        except APIStatusError as error:
            raise self._refused(error) from None
        except (APIError, OpenAIError, httpx2.HTTPError, httpx2.StreamError) as error:
            raise unreached(error, self._secrets) from None
        except (httpx2.InvalidURL, UnicodeError, ValueError):
            raise ModelUnreachable("the answer could not be read") from None

    def _refused(self, error: APIStatusError) -> ModelError:
        status, words, code = error_told(error.body, error.status_code)
        if "<html" in words.lower():
            words = "the address answered with a web page"
        header = error.response.headers.get("retry-after")
        return fault(
            error.status_code or status,
            self._hidden(words),
            code=code,
            retry_after=header,
            setting=self._setting,
        )

    def _hidden(self, text: str) -> str:
        return without_secrets(text, self._secrets)


def _told_fault(event: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the fault that an event tells; the Responses API has two forms of its own."""
    if event.get("error"):
        return event
    if event.get("type") == "response.failed":
        response = event.get("response")
        found = response.get("error") if isinstance(response, Mapping) else None
        return found if isinstance(found, Mapping) else event
    return event if event.get("type") == "error" else None


def _headers(spec: ProviderSpec) -> dict[str, Any]:
    """Returns the headers of a provider, without those that the SDK takes from the environment.

    They are meant for OpenAI alone: its organisation, its project, and headers of a gateway.
    """
    own: dict[str, Any] = dict(spec.headers)
    if spec.name == OPENAI:
        return own
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    foreign = [*_FOR_OPENAI, *(line.partition(":")[0].strip() for line in lines)]
    given = {name.lower() for name in own}
    return {name: Omit() for name in foreign if name and name.lower() not in given} | own


async def _drained(pieces: Any) -> None:
    """Reads to the end; otherwise the connection could not be used again."""
    try:
        async with asyncio.timeout(_ENDING_SECONDS):
            while await anext(pieces, None) is not None:
                pass
    except (httpx2.HTTPError, TimeoutError):
        pass
