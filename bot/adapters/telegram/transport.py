"""Speaks HTTP to the Bot API; refusals carry their status and the server's own words."""

import asyncio
import json
from typing import Any

import httpx
from telegram.error import NetworkError, TelegramError
from telegram.request import BaseRequest, HTTPXRequest, RequestData

from bot.adapters.telegram.fields import Fields

_UNSET = BaseRequest.DEFAULT_NONE


class Refused(TelegramError):
    """The server answered and did not do it; `status` is the HTTP one.

    `description` has the server's own words: the library changes their case in `message`, and
    with it that of a token among them. `migrate_to` is the supergroup a group became.
    """

    def __init__(
        self,
        status: int,
        description: str,
        retry_after: float | None = None,
        migrate_to: str | None = None,
    ) -> None:
        super().__init__(description)
        self.status = status
        self.description = description
        self.retry_after = retry_after
        self.migrate_to = migrate_to


class UnreadableAnswer(TelegramError):
    """The server reports success in an answer that cannot be read."""


class Transport(HTTPXRequest):
    """The library's transport, without its rewriting and logging of error answers.

    A cancelled request gets `grace` seconds to end. A cancel that meets the HTTP library in the
    last steps of an exchange costs the pool a connection for good, and once all are lost nothing
    is ever sent again.
    """

    def __init__(self, *, grace: float = 0.0, **options: Any) -> None:
        super().__init__(**options)
        self._grace = grace

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
        limits = (read_timeout, write_timeout, connect_timeout, pool_timeout)
        exchange = asyncio.ensure_future(super().do_request(url, method, request_data, *limits))
        try:
            status, payload = await asyncio.shield(exchange)
        except asyncio.CancelledError:
            await _end(exchange, self._grace)
            raise
        except httpx.InvalidURL as error:
            raise NetworkError("the token or address makes no URL") from error
        if not 200 <= status <= 299:
            raise refusal(status, payload)
        return status, payload

    @staticmethod
    def parse_json_payload(payload: bytes) -> dict[str, Any]:
        answer = decoded(payload)
        if not isinstance(answer, dict) or "result" not in answer:
            raise UnreadableAnswer("an answer without a result")
        return answer


async def _end(exchange: asyncio.Future[Any], grace: float) -> None:
    try:
        await asyncio.wait((exchange,), timeout=grace)
    finally:
        exchange.cancel()
    await asyncio.gather(exchange, return_exceptions=True)


def decoded(payload: bytes) -> Any:
    """Returns the JSON value of an answer, or None. Absurdly long integers stay text."""
    text = payload.decode("utf-8", "replace")
    for read_integer in (int, _integer_or_text):
        try:
            return json.loads(text, parse_int=read_integer)
        except json.JSONDecodeError:
            return None
        except (ValueError, RecursionError):
            continue
    return None


def _integer_or_text(digits: str) -> int | str:
    return int(digits) if len(digits) <= 20 else digits


def refusal(status: int, payload: bytes) -> Refused:
    """Reads an error answer, whatever it is: JSON, a proxy's page or nothing."""
    answer = decoded(payload)
    if not isinstance(answer, dict):
        return Refused(status, f"HTTP status {status}")
    description = answer.get("description")
    told = Fields(answer.get("parameters"))
    wait = told.decimal("retry_after")
    return Refused(
        status,
        description if isinstance(description, str) else f"HTTP status {status}",
        float(wait) if wait is not None and 0 <= wait < 1e9 else None,
        told.id("migrate_to_chat_id"),
    )
