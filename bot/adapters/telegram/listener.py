"""Fetches raw updates and hands them over; nothing is confirmed before it is accepted."""

import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from telegram.error import TelegramError

from bot.adapters.platforms.outage import Outage
from bot.adapters.telegram.answers import Refused, decoded
from bot.adapters.telegram.api import TelegramApi
from bot.adapters.telegram.faults import BAD_TOKEN, NEW_TOKEN, unreached
from bot.adapters.telegram.raw_update import raw_update, update_number
from bot.adapters.telegram.silence import UNREACHED, Silence
from bot.domain.talk.errors import ChannelError, StoreError
from bot.domain.talk.message import RawUpdate, Reached
from bot.domain.value import replace
from bot.ports.clock import Clock

_log = logging.getLogger(__name__)
_TOKEN_PAUSE = 60.0
# Shorter than a poll: one that ends well between two conflicts would look like their end.
_CONFLICT_PAUSE = 10.0
_NUMBERS_GO_ON = timedelta(days=6)
"""After a week without updates, Telegram may number them anew, from lower numbers on."""

_NUMBER = re.compile(rb'"update_id"\s*:\s*(?P<id>\d{1,10})\b')
# Words of a conflict with a webhook, not with a second poller.
_WEBHOOK_ACTIVE = "webhook is active"


_UNREADABLE = Outage("Telegram sent an answer that cannot be read")


class TelegramListener:
    """Polls for raw JSON; the server waits `poll_seconds`, we wait `grace_seconds` longer."""

    def __init__(
        self, api: TelegramApi, clock: Clock, poll_seconds: int = 25, grace_seconds: float = 10.0
    ) -> None:
        self._api = api
        self._clock = clock
        self._silence = Silence(api, clock)
        self._poll_seconds = poll_seconds
        self._grace_seconds = grace_seconds
        self._deleted_webhook = False
        self._stream = f"telegram:{api.own_id}"
        self.stored_up_to: Callable[[str, datetime], Awaitable[str]] = _nowhere
        """Returns the position of a stream, if it was stored since a time."""

    @property
    def reached(self) -> bool:
        return self._silence.reached

    async def listen(self, accept: Callable[[Sequence[RawUpdate]], Awaitable[None]]) -> NoReturn:
        """Runs until cancelled. `accept` keeps a batch for good, or raises a StoreError.

        Only then does the next poll confirm it, so a batch may come again but is never lost. It
        begins where another process has stopped.
        """
        offset = await self._begin()
        # The first poll waits for nothing, so that it is soon known if Telegram is reached.
        wait = 0
        while True:
            found = await self._poll(offset, wait)
            wait = self._poll_seconds
            if isinstance(found, list):
                found = await self._hand_over(found, accept)
            if isinstance(found, Outage):
                await self._silence.wait_out(found)
                continue
            self._silence.over()
            offset = found if found is not None else offset

    async def _begin(self) -> int | None:
        since = self._clock.now() - _NUMBERS_GO_ON
        try:
            return int(await self.stored_up_to(self._stream, since)) or None
        except (StoreError, ValueError):
            # What is stored already is known by its key when it comes again.
            return None

    async def _poll(self, offset: int | None, wait: int) -> "list[Any] | Outage":
        try:
            payload = await self._api.updates(offset, wait, wait + self._grace_seconds)
        except Refused as error:
            return await self._met(error)
        except TelegramError as error:
            return Outage(unreached(error), kind=UNREACHED)
        except TimeoutError:
            return Outage("Telegram does not answer", kind=UNREACHED)
        updates = _updates(payload)
        if updates is not None:
            return updates
        if _NUMBER.search(payload) is None:
            return _UNREADABLE
        return await self._first_unreadable(offset)

    async def _first_unreadable(self, offset: int | None) -> "list[Any] | Outage":
        """Returns the first update alone, of a batch that holds one too deep to be read.

        It is kept by its number and its text, so that those behind it can come.
        """
        try:
            payload = await self._api.updates(offset, 0, self._grace_seconds, most=1)
        except (TelegramError, TimeoutError):
            return _UNREADABLE
        readable = _updates(payload)
        if readable is not None:
            return readable
        number = _NUMBER.search(payload)
        if number is None:
            return _UNREADABLE
        text = payload.decode("utf-8", "replace")
        return [{"update_id": int(number["id"]), "unreadable": text}]

    async def _hand_over(
        self, updates: list[Any], accept: Callable[[Sequence[RawUpdate]], Awaitable[None]]
    ) -> "int | Outage | None":
        """Has the updates accepted; returns the offset that confirms them."""
        if not updates:
            return None
        ids = [number for update in updates if (number := update_number(update)) is not None]
        stored = [raw_update(update) for update in updates]
        if ids:
            stored[-1] = replace(stored[-1], reached=Reached(self._stream, str(max(ids) + 1)))
        try:
            await accept(stored)
        except StoreError as fault:
            return Outage(f"Updates cannot be stored: {fault}")
        if not ids:
            # Without a number they cannot be confirmed and will come again at once.
            return Outage("Telegram sends updates without a number")
        return max(ids) + 1

    async def _met(self, error: Refused) -> "list[Any] | Outage":
        """Answers a refused poll; deletes a webhook of an earlier setting, once in a run."""
        left = error.status == 409 and _WEBHOOK_ACTIVE in error.description.lower()
        if not left or self._deleted_webhook:
            return _trouble(error)
        try:
            async with self._api.calling() as bot:
                await bot.delete_webhook(drop_pending_updates=False)
        except ChannelError as fault:
            return Outage(f"The webhook cannot be deleted: {fault}")
        self._deleted_webhook = True
        _log.warning("A webhook was set for this bot. I deleted it, since updates are polled here.")
        return []


async def _nowhere(_stream: str, _since: datetime) -> str:
    return ""


def _updates(payload: bytes) -> list[Any] | None:
    answer = decoded(payload)
    updates = answer.get("result") if isinstance(answer, dict) else None
    return updates if isinstance(updates, list) else None


def _trouble(error: Refused) -> Outage:
    match error.status:
        case 401 | 404:
            return Outage(f"{BAD_TOKEN} ({error.description})", _TOKEN_PAUSE, NEW_TOKEN)
        case 409:
            told = f"Another program reads this bot's updates ({error.description})"
            return Outage(told, _CONFLICT_PAUSE, "Stop one of the two.")
        case 429:
            return Outage("Telegram asks for a pause", error.retry_after)
        case _:
            return Outage(f"Telegram answers {error.status}: {error.description}")
