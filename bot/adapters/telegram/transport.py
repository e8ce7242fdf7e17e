"""Speaks HTTP to the Bot API, by a library with half of the processor time of `httpx`."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import aiohttp
import httpx
from telegram.error import NetworkError
from telegram.request import BaseRequest, RequestData

from bot.adapters.certificates import certificates
from bot.adapters.proxy import proxy_for
from bot.adapters.telegram.answers import NeverSent, NoUrl, UnreadableAnswer, decoded, refusal

_UNSET = BaseRequest.DEFAULT_NONE
_CONNECT_SECONDS = 5.0
_IDLE_SECONDS = 15.0
_HEADERS = {"User-Agent": BaseRequest.USER_AGENT}
_FORM = {"Content-Type": "application/x-www-form-urlencoded"}

_NEVER_SENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)


class Transport(BaseRequest):
    """A transport of the library, without its rewriting and logging of error answers.

    A cancelled request gets `grace` seconds to end, so that its answer may still be known.
    """

    def __init__(self, url: str, seconds: float, connections: int, grace: float = 0.0) -> None:
        self._seconds = seconds
        self._grace = grace
        proxy, login = proxy_for(url)
        knock = {} if login is None else {"Proxy-Authorization": login.encode()}
        # Without TLS the proxy reads the request itself; through a tunnel the server must not.
        tunnelled = not url.startswith("http:")
        self._way = {"proxy": proxy, "proxy_headers": knock if tunnelled else None}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=connections, ssl=certificates(), keepalive_timeout=_IDLE_SECONDS
            ),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=_HEADERS if tunnelled else _HEADERS | knock,
        )

    @property
    def read_timeout(self) -> float:
        """Returns the seconds that an answer may be silent."""
        return self._seconds

    async def initialize(self) -> None:
        """Changes nothing: it is open from the beginning."""

    async def shutdown(self) -> None:
        """Closes all connections."""
        await self._session.close()

    async def do_request(
        self,
        url: str,
        method: str,
        request_data: RequestData | None = None,
        read_timeout: Any = _UNSET,
        write_timeout: Any = _UNSET,
        connect_timeout: Any = _UNSET,
        pool_timeout: Any = _UNSET,
    ) -> tuple[int, bytes]:
        """Returns the status and the body of an answer; raises Refused for any other than a 2xx.

        Whoever calls bounds the whole request; here `read_timeout` bounds silence.
        """
        silence = self._seconds if read_timeout is _UNSET else read_timeout
        asked = self._answered(url, method, request_data, silence)
        status, payload = await (self._to_its_end(asked) if self._grace else asked)
        if not 200 <= status <= 299:
            raise refusal(status, payload)
        return status, payload

    @asynccontextmanager
    async def asking(
        self, url: str, method: str, silence: float, **sent: Any
    ) -> AsyncGenerator[aiohttp.ClientResponse]:
        """Yields an answer whose body is still to come; every fault is a NetworkError."""
        waits = aiohttp.ClientTimeout(
            connect=self._seconds, sock_connect=_CONNECT_SECONDS, sock_read=silence
        )
        way: dict[str, Any] = {**self._way, "timeout": waits, "allow_redirects": False}
        try:
            async with self._session.request(method, url, **way, **sent) as answer:
                yield answer
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError) as error:
            raise NoUrl("the token or address makes no URL") from error
        except _NEVER_SENT as error:
            raise NeverSent(type(error).__name__) from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise NetworkError(type(error).__name__) from error

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        """Returns an answer that holds a result."""
        answer = decoded(payload)
        if not isinstance(answer, dict) or "result" not in answer:
            raise UnreadableAnswer("an answer without a result")
        return answer

    async def _answered(
        self, url: str, method: str, sent: RequestData | None, silence: float
    ) -> tuple[int, bytes]:
        body = {} if sent is None else _body(sent)
        async with self.asking(url, method, silence, **body) as answer:
            return answer.status, await answer.read()

    async def _to_its_end(self, asked: Any) -> tuple[int, bytes]:
        exchange = asyncio.ensure_future(asked)
        try:
            return await asyncio.shield(exchange)
        except asyncio.CancelledError:
            try:
                await asyncio.wait((exchange,), timeout=self._grace)
            finally:
                exchange.cancel()
            await asyncio.gather(exchange, return_exceptions=True)
            raise


def _body(sent: RequestData) -> dict[str, Any]:
    """Returns the body of a request with its headers; files are written as `httpx` does it."""
    files = sent.multipart_data
    if not files:
        return {"data": urlencode(sent.json_parameters).encode(), "headers": _FORM}
    form = httpx.Request("POST", "http://none", data=sent.json_parameters, files=files)
    headers = {name: form.headers[name] for name in ("Content-Type", "Content-Length")}
    return {"data": form.stream, "headers": headers}
