"""Fetches raw updates and hands them over; nothing is confirmed before it is accepted."""

import hashlib
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from telegram.error import TelegramError

from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.faults import BAD_TOKEN
from bot.adapters.telegram.transport import Refused, decoded
from bot.domain.errors import StoreError
from bot.domain.message import RawUpdate
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_TOKEN_PAUSE = 60.0
_CONFLICT_PAUSE = 30.0
_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 30.0
# Update ids are 32-bit; confirming a larger one would confirm everything to come.
_LARGEST_ID = 1 << 31


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why there are no updates; `pause` in seconds, None for one that grows."""

    text: str
    pause: float | None = None


class TelegramListener:
    """A long poll over raw JSON; `poll_seconds` is the server's wait, `grace_seconds` ours."""

    def __init__(
        self,
        api: TelegramApi,
        clock: Clock,
        poll_seconds: int = 25,
        grace_seconds: float = 10.0,
    ) -> None:
        self._api = api
        self._clock = clock
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._complaint: str | None = None
        self._pause = _FIRST_PAUSE

    async def listen(self, accept: Callable[[Sequence[RawUpdate]], Awaitable[None]]) -> NoReturn:
        """Runs until cancelled. `accept` keeps a batch for good, or raises a StoreError.

        Only then does the next poll confirm it, so a batch may come again but is never lost.
        """
        offset: int | None = None
        while True:
            found = await self._poll(offset)
            if isinstance(found, list):
                found = await self._hand_over(found, accept)
            if isinstance(found, _Trouble):
                await self._wait_out(found)
                continue
            self._recovered()
            offset = found if found is not None else offset

    async def _poll(self, offset: int | None) -> "list[Any] | _Trouble":
        limit = self._poll_seconds + self._grace_seconds
        try:
            payload = await self._api.updates(offset, self._poll_seconds, limit)
        except Refused as error:
            return _trouble(error)
        except TelegramError as error:
            return _Trouble(f"cannot reach Telegram: {error.message}")
        except TimeoutError:
            return _Trouble("Telegram left a poll without an answer")
        answer = decoded(payload)
        updates = answer.get("result") if isinstance(answer, dict) else None
        if not isinstance(updates, list):
            return _Trouble("Telegram sent an answer that cannot be read")
        return updates

    async def _hand_over(
        self, updates: list[Any], accept: Callable[[Sequence[RawUpdate]], Awaitable[None]]
    ) -> "int | _Trouble | None":
        """Has the updates accepted; returns the offset that confirms them."""
        if not updates:
            return None
        try:
            await accept([_raw(update) for update in updates])
        except StoreError as fault:
            return _Trouble(f"updates cannot be stored: {fault}")
        ids = [number for update in updates if (number := _id(update)) is not None]
        if not ids:
            # Without a number they cannot be confirmed and will come again at once.
            return _Trouble("Telegram sends updates without a number")
        return max(ids) + 1

    async def _wait_out(self, trouble: _Trouble) -> None:
        text = self._api.scrub(trouble.text)
        if text != self._complaint:
            _log.warning("no updates: %s", text)
            self._complaint = text
        if trouble.pause is not None:
            await self._clock.sleep(trouble.pause)
            return
        await self._clock.sleep(self._pause)
        self._pause = min(self._pause * 2, _LONGEST_PAUSE)

    def _recovered(self) -> None:
        if self._complaint is not None:
            _log.info("updates arrive again")
        self._complaint = None
        self._pause = _FIRST_PAUSE


def _trouble(error: Refused) -> _Trouble:
    match error.status:
        case 401 | 404:
            return _Trouble(f"{BAD_TOKEN} ({error.description})", _TOKEN_PAUSE)
        case 409:
            return _Trouble(
                f"another program reads this bot's updates ({error.description})", _CONFLICT_PAUSE
            )
        case 429:
            return _Trouble("Telegram asks for a pause", error.retry_after)
        case _:
            return _Trouble(f"Telegram answers {error.status}: {error.description}")


def _id(update: Any) -> int | None:
    number = update.get("update_id") if isinstance(update, dict) else None
    if isinstance(number, bool) or not isinstance(number, int):
        return None
    return number if 0 < number < _LARGEST_ID else None


def _raw(update: Any) -> RawUpdate:
    body = json.dumps(update, separators=(",", ":"))
    number = _id(update)
    if number is not None:
        return RawUpdate(str(number), body)
    return RawUpdate(f"sha256:{hashlib.sha256(body.encode()).hexdigest()}", body)
