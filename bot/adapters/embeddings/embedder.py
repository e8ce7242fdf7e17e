"""The port `Embedder` on a server that speaks like OpenAI's /v1/embeddings."""

import asyncio
import base64
import binascii
import json
from array import array
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING

from bot.adapters.certificates import certificates
from bot.adapters.provider_faults import error_told
from bot.domain.memory.meaning import MOST_BYTES, first_bytes, unit
from bot.domain.money.model import Price
from bot.domain.talk.errors import EmbedderDenied, EmbedderError, EmbedderRefuses
from bot.domain.talk.unreached import why_unreached
from bot.domain.text.hiding import without_secrets
from bot.ports.embedder import Embedded

_TOO_LONG = (
    "maximum context length",
    "context_length_exceeded",
    "context length",
    "too long",
    "too many tokens",
    "max_tokens",
    "maximum number of tokens",
    "must have less than",
    "exceed",
    "larger than the max",
)


class TooLong(EmbedderError):
    """A text has more tokens than the server takes."""


def refused(status: int, words: str) -> EmbedderError:
    """Returns the fault for an error answer."""
    said = " ".join(words.split())[:200] or "no reason given"
    text = f"the embedder refuses: {status}: {said}"
    if status in (400, 413, 422, 500) and any(each in said.lower() for each in _TOO_LONG):
        return TooLong(text)
    if status in (401, 402, 403, 404, 405):
        return EmbedderDenied(text)
    if status in (400, 413, 422):
        return EmbedderRefuses(text)
    return EmbedderError(text)


if TYPE_CHECKING:
    import aiohttp

_MOST_ANSWER = 4_000_000
"""Bytes of an answer: 32 vectors of 4,096 numbers each take less."""

_AT_ONCE = 100_000
"""Bytes of an answer that are read on the loop, in 2 ms: a thread costs more than one vector."""

_SECONDS = 60.0
_CONNECT_SECONDS = 5.0
_IDLE_SECONDS = 60.0
"""Seconds for which an idle connection stays open: a new one costs more than a question."""

_LEAST_BYTES = 250
"""Bytes of a text below which it is not cut again."""

_MARKS = 16
"""Tokens that a model may put around a text; it has no more tokens than bytes besides."""


class Embeddings:
    """Asks a server for vectors. What the server finds too long is halved until it fits.

    An answer that is no answer, too long, or of vectors of several sizes is an EmbedderError.
    """

    metered = True

    def __init__(
        self, url: str, model: str, key: str | None = None, price: Price | None = None
    ) -> None:
        self._url = f"{url.rstrip('/')}/embeddings"
        self._model = model
        self._key = key or ""
        self._price = price
        self._most = MOST_BYTES
        self._session: aiohttp.ClientSession | None = None
        self._proxy: tuple[str | None, str] = None, ""
        self._opening = asyncio.Lock()

    @property
    def name(self) -> str:
        return self._model

    @property
    def price(self) -> Price | None:
        return self._price

    async def embed(self, texts: Sequence[str]) -> Embedded:
        while True:
            most = self._most
            try:
                return await self._asked([first_bytes(text, most) or " " for text in texts])
            except TooLong as fault:
                if most <= _LEAST_BYTES:
                    raise EmbedderRefuses(str(fault)) from None
                # Remembered: the server takes no more the next time either.
                self._most = min(self._most, most // 2)

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _asked(self, texts: Sequence[str]) -> Embedded:
        body = {"model": self._model, "input": texts, "encoding_format": "float"}
        status, answer = await self._posted(json.dumps(body).encode())
        if status != 200:
            raise refused(status, self._hidden(_words(answer, status)))
        try:
            if len(answer) <= _AT_ONCE:
                return _read(answer, texts)
            return await asyncio.to_thread(_read, answer, texts)
        except EmbedderError as fault:
            # It was answered, and so it costs what it costs.
            fault.paid = True
            raise

    async def _posted(self, body: bytes) -> tuple[int, bytes]:
        try:
            session = await self._opened()
        except ValueError as error:
            raise _unreached(error) from None
        import aiohttp  # it is loaded by now

        whole = bytearray()
        try:
            async with asyncio.timeout(_SECONDS), self._sent(session, body) as response:
                async for piece in response.content.iter_any():
                    whole += piece
                    if len(whole) > _MOST_ANSWER:
                        raise EmbedderError("the embedder's answer is too long", paid=True)
                return response.status, bytes(whole)
        except (aiohttp.ClientError, ValueError) as error:
            # Some of these are a TimeoutError too; they come before anything is answered.
            raise _unreached(error) from None
        except TimeoutError:
            told = f"the embedder gave no answer within {_SECONDS:g} s"
            raise EmbedderError(told, paid=True) from None
        except OSError as error:
            raise _unreached(error) from None

    def _sent(
        self, session: "aiohttp.ClientSession", body: bytes
    ) -> AbstractAsyncContextManager["aiohttp.ClientResponse"]:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        proxy, login = self._proxy
        knock = {"Proxy-Authorization": login} if login else {}
        if self._url.startswith("http:"):
            # The request itself goes to the proxy; through a tunnel the server must not see it.
            headers, knock = {**headers, **knock}, {}
        return session.post(
            self._url,
            data=body,
            headers=headers,
            allow_redirects=False,
            proxy=proxy,
            proxy_headers=knock or None,
        )

    async def _opened(self) -> "aiohttp.ClientSession":
        async with self._opening:
            if self._session is None:
                # Importing it and reading the certificates takes a while: nobody may wait for it.
                self._proxy = await asyncio.to_thread(_prepared, self._url)
                self._session = _session()
            return self._session

    def _hidden(self, text: str) -> str:
        return without_secrets(text, [self._key])


def _prepared(url: str) -> tuple[str | None, str]:
    """Loads what a session needs; returns the proxy for this address, and its login if any."""
    from bot.adapters.proxy import proxy_for

    certificates()
    proxy, login = proxy_for(url)
    return proxy, login.encode() if login is not None else ""


def _session() -> "aiohttp.ClientSession":
    # It takes half of the processor time that httpx does for a question.
    import aiohttp

    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(ssl=certificates(), keepalive_timeout=_IDLE_SECONDS),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
        cookie_jar=aiohttp.DummyCookieJar(),
    )


def _unreached(error: Exception) -> EmbedderError:
    return EmbedderError(f"the embedder is not reached: {why_unreached(error)}")


def _read(answer: bytes, texts: Sequence[str]) -> Embedded:
    """Returns the vectors of an answer in the order of the texts, with the tokens it tells."""
    try:
        told = json.loads(answer)
        data = sorted(told["data"], key=lambda each: int(each["index"]))
        if [int(each["index"]) for each in data] != list(range(len(texts))):
            raise EmbedderError("the embedder's answer is not about the texts it was asked for")
        found = [_numbers(each["embedding"]) for each in data]
    except (ValueError, TypeError, KeyError, OverflowError, binascii.Error, RecursionError):
        raise EmbedderError("the embedder's answer cannot be read") from None
    if len({len(numbers) for numbers in found}) != 1:
        raise EmbedderError("the embedder's vectors differ in size")
    try:
        return Embedded([unit(numbers) for numbers in found], _tokens(told.get("usage"), texts))
    except ValueError:
        raise EmbedderRefuses("the embedder's vector has no direction, or is no number") from None


def _tokens(usage: object, texts: Sequence[str]) -> int:
    """Returns the tokens that an answer tells; 0 for none, and for a number that cannot be."""
    if not isinstance(usage, Mapping):
        return 0
    most = sum(len(text.encode("utf-8", "replace")) + _MARKS for text in texts)
    for name in ("prompt_tokens", "total_tokens"):
        count = usage.get(name)
        if isinstance(count, int) and not isinstance(count, bool) and 0 < count <= most:
            return count
    return 0


def _numbers(told: object) -> Sequence[float]:
    """Returns a vector's numbers; some servers send them as bytes, whatever they are asked for."""
    if isinstance(told, str):
        numbers = array("f")
        numbers.frombytes(base64.b64decode(told, validate=True))
    elif isinstance(told, list):
        numbers = array("d", told)
    else:
        raise TypeError("no vector")
    if not numbers:
        raise ValueError("an empty vector")
    return numbers


def _words(answer: bytes, status: int) -> str:
    """Returns what an error answer says, in whatever form."""
    try:
        return error_told(json.loads(answer), status)[1]
    except (ValueError, RecursionError):
        return ""
