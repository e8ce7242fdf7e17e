"""A timer: it wakes chats when a rest is over; `chat_queue.py` decides which turn is due."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from bot.domain.clock.ahead import is_ahead
from bot.flow.activities import ActivityOwner
from bot.ports.clock import Clock

_LONGEST_SLEEP_SECONDS = 60.0
"""The time of day may be set anew, so it is looked at now and then."""


class Trials(ActivityOwner):
    """Holds the next trial of each chat in memory; the rows of the turns are read again anyway."""

    def __init__(
        self, wake: Callable[[int], None], clock: Clock, rest_minutes: Sequence[float]
    ) -> None:
        super().__init__()
        self._wake = wake
        self._clock = clock
        self.longest = timedelta(minutes=max(rest_minutes, default=0.0))
        self.expected: dict[int, tuple[datetime, asyncio.Task[None]]] = {}
        """The times that were told, by chat, with the tasks that sleep until then."""

    def expect(self, chat: int, at: datetime | None) -> None:
        """Wakes the chat at this time, and at no other that was told before."""
        known = self.expected.get(chat)
        if known is not None:
            if known[0] == at:
                return
            known[1].cancel()
            del self.expected[chat]
        if at is not None and self.open:
            self.expected[chat] = at, self.start(self._sleep(chat, at), name=f"trial {chat}")

    async def _sleep(self, chat: int, at: datetime) -> None:
        while is_ahead(at, now := self._clock.now(), self.longest):
            await self._clock.sleep(min((at - now).total_seconds(), _LONGEST_SLEEP_SECONDS))
        del self.expected[chat]
        self._wake(chat)
