"""Opens the HTTP door of the webhook: an update is stored before it is confirmed."""

import asyncio
import hmac
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bot.adapters.http_body import Receive, body_of, is_declared_over
from bot.adapters.telegram.answers import decoded
from bot.adapters.telegram.raw_update import raw_update
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import RawUpdate

LARGEST_BODY = 1_000_000
"""The largest body of one call in bytes; an update has a few thousand."""

_SECRET_HEADER = b"x-telegram-bot-api-secret-token"
_READ_SECONDS = 30.0
_KEEP_SECONDS = 20.0
"""Seconds in which an update is stored, or asked for again."""

_log = logging.getLogger(__name__)

Accept: TypeAlias = Callable[[Sequence[RawUpdate]], Awaitable[None]]
_Scope: TypeAlias = Mapping[str, Any]
_Send: TypeAlias = Callable[[dict[str, Any]], Awaitable[None]]


@dataclass(slots=True)
class _Batch:
    updates: list[RawUpdate] = field(default_factory=list[RawUpdate])
    settled: bool = False
    fault: StoreError | None = None


class WebhookDoor:
    """An ASGI application: POST to `path` with the `secret`, or nothing is stored.

    200 says that the update is kept for good. Calls that come while the store is busy share the
    next commit, in the order of their coming. Until the platform was told the secret, and in calls
    then on their way, it shows an earlier one; only after that a wrong one is worth a word
    (`tells_strangers`).
    """

    def __init__(self, path: str, secret: str, accept: Accept) -> None:
        self.path = path
        self._path = path.encode()
        self._secret = secret.encode()
        self._accept = accept
        self._open = _Batch()
        self._lock = asyncio.Lock()
        self.tells_strangers = False

    async def __call__(self, scope: _Scope, receive: Receive, send: _Send) -> None:
        status = await self._answer(scope, receive)
        headers = [(b"content-length", b"0")]
        if status == 405:
            headers.append((b"allow", b"POST"))
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    async def _answer(self, scope: _Scope, receive: Receive) -> int:
        refused = self._refused(scope)
        if refused is not None:
            return refused
        try:
            async with asyncio.timeout(_READ_SECONDS):
                body = await body_of(receive, LARGEST_BODY)
        except TimeoutError:
            return 408
        if body is None:
            return 413
        try:
            async with asyncio.timeout(_KEEP_SECONDS):
                await self._keep(_read(body))
        except TimeoutError:
            # The store has said in the log why everything waits for it.
            return 503
        except StoreError as fault:
            _log.warning("an update cannot be stored and is asked for again: %s", fault)
            return 503
        return 200

    def _refused(self, scope: _Scope) -> int | None:
        """Returns the status for a call that is refused unread."""
        headers = dict(scope["headers"])
        if scope["raw_path"] != self._path:
            return 404
        if scope["method"] != "POST":
            return 405
        if not hmac.compare_digest(headers.get(_SECRET_HEADER, b""), self._secret):
            self._tell_stranger()
            return 403
        length = headers.get(b"content-length", b"0").decode("latin-1")
        return 413 if is_declared_over(length, LARGEST_BODY) else None

    def _tell_stranger(self) -> None:
        if self.tells_strangers:
            _log.warning("a call to the webhook without the right secret was refused")
            # The first of them is enough.
            self.tells_strangers = False

    async def _keep(self, update: RawUpdate) -> None:
        batch = self._open
        batch.updates.append(update)
        async with self._lock:
            if not batch.settled:
                # Calls from now on belong to the next commit.
                self._open = _Batch()
                await self._settle(batch)
        if batch.fault is not None:
            raise batch.fault

    async def _settle(self, batch: _Batch) -> None:
        try:
            await self._accept(batch.updates)
        except StoreError as fault:
            batch.fault = fault
        batch.settled = True


def _read(body: bytes) -> RawUpdate:
    """Decodes a body; text that is no JSON is kept as it is, or it would come again for ever."""
    update = decoded(body)
    if update is None:
        update = body.decode("utf-8", "replace")
    return raw_update(update)
