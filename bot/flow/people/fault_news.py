"""Tells owners that the program of a channel has a fault, once a day for each channel."""

import logging
from collections.abc import Awaitable, Callable

from bot.domain.change import Change, Show
from bot.domain.talk.errors import StoreError
from bot.domain.talk.message import Outbound, OutboundKind, Plain
from bot.domain.value import frozen
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.members import Members

_LOG = logging.getLogger(__name__)

_TOLD = (
    "⚠️ Something could not be shown in {channel}, such as a reaction or a growing text: my program "
    "has a fault. I still run, and I answer messages. The trace is in my log. Please report it to "
    "the people who make Steward."
)


@frozen
class FaultNews:
    """Waits for faults of channels, and writes to the private chats of owners."""

    _next_fault: Callable[[], Awaitable[str]]
    _members: Members
    _journal: Journal
    _clock: Clock

    async def run(self) -> None:
        """Works until it is cancelled."""
        while True:
            channel = await self._next_fault()
            try:
                await self._tell(channel)
            except StoreError as fault:
                _LOG.warning("owners were not told of a fault of %s: %s", channel, fault)

    async def _tell(self, channel: str) -> None:
        text = Plain(_TOLD.format(channel=channel.capitalize()))
        key = f"fault:{channel}:{self._clock.now():%Y%m%d}"
        homes = await self._members.owner_chats()
        shows = [Show(f"{key}:{one}", one, Outbound(OutboundKind.NOTICE, (text,))) for one in homes]
        if shows:
            await self._journal.commit(Change(tuple(shows)))
