"""Puts reactions on people's messages: the message waits, is being worked on, is done."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Self

from bot.domain.talk.errors import ChannelError, ContentRefused, FloodWait, RecipientGone
from bot.domain.talk.message import Address, Sign
from bot.flow.activities import ActivityOwner
from bot.ports.channel import Channel
from bot.ports.clock import Clock

_LOG = logging.getLogger(__name__)

_MOST_MARKS = 10_000
"""The most messages whose reaction is remembered; the oldest are forgotten first."""

_MOST_AT_WORK = 64
"""The most reactions that are being sent at a time; further messages get no reaction."""

_MOST_WAITS = 60
_LONGEST_WAIT = 30.0
_LAST = (Sign.DONE, Sign.NONE)


@dataclass(slots=True, eq=False)
class _Mark:
    """The reaction that a message should show, and the one that it shows as far as is known."""

    wanted: Sign
    shown: Sign | None = None
    task: asyncio.Task[None] | None = None


class Reactions(ActivityOwner):
    """Shows the newest state of a message as soon as there is room; no turn waits for that.

    A message that was answered quickly has no reaction and gets none at its end; in a flood most
    messages get none. Reactions from before a restart are unknown, so a message that is older
    than the start counts as one with a reaction. A chat that refuses a reaction gets no more
    until the next start. Closing it drops the reactions that are not shown yet.
    """

    def __init__(self, channels: Mapping[str, Channel], clock: Clock) -> None:
        super().__init__()
        self._channels = channels
        self._clock = clock
        self._marks: OrderedDict[tuple[Address, str], _Mark] = OrderedDict()
        self._unwilling: set[tuple[str, str]] = set()
        self._opened_at = clock.now()
        self._at_work = 0

    async def __aenter__(self) -> Self:
        self._opened_at = self._clock.now()
        return await super().__aenter__()

    def queued(self, address: Address, message_id: str) -> None:
        self._want(address, message_id, Sign.QUEUED)

    def working(self, address: Address, message_ids: Iterable[str]) -> None:
        for message_id in message_ids:
            self._want(address, message_id, Sign.WORKING)

    def taken(self, address: Address, message_ids: Iterable[str], since: datetime) -> None:
        """Shows work on messages that came at `since`, but only on those that had to wait."""
        for message_id in message_ids:
            if (address, message_id) in self._marks or since < self._opened_at:
                self._want(address, message_id, Sign.WORKING)

    def ended(self, address: Address, message_ids: Iterable[str], *, well: bool) -> None:
        """Shows the end of the work on messages, but only on those that have a reaction."""
        for message_id in message_ids:
            if (address, message_id) in self._marks:
                self._want(address, message_id, Sign.DONE if well else Sign.NONE)

    def noted(self, address: Address, message_id: str) -> None:
        """Shows that a command was heard which gets no answer of its own."""
        self._want(address, message_id, Sign.DONE)

    def dropped(self, address: Address, message_id: str, since: datetime) -> None:
        """Removes the reaction of a message that came at `since` and will not be answered."""
        if (address, message_id) in self._marks or since < self._opened_at:
            self._want(address, message_id, Sign.NONE)

    def _want(self, address: Address, message_id: str, sign: Sign) -> None:
        if not (self.open and message_id) or (address.channel, address.chat) in self._unwilling:
            return
        if address.channel not in self._channels:
            return  # The channel is served no more.
        key = address, message_id
        if key not in self._marks and self._at_work >= _MOST_AT_WORK:
            return
        mark = self._marks.setdefault(key, _Mark(sign))
        mark.wanted = sign
        if mark.task is None and mark.shown is not sign:
            mark.task = self.start(self._show(key, mark), f"reaction {address.key}")
            self._at_work += 1
        while len(self._marks) > _MOST_MARKS:
            self._marks.popitem(last=False)

    async def _show(self, key: tuple[Address, str], mark: _Mark) -> None:
        try:
            await self._shown(key, mark)
        except (ContentRefused, RecipientGone) as refused:
            _LOG.info("no reactions in %s: %s", key[0].key, refused)
            await self._give_up(key, mark)
        except ChannelError as fault:
            _LOG.info("a reaction was left out: %s", fault)
        finally:
            mark.task = None
            self._at_work -= 1
        if mark.wanted in _LAST:
            self._marks.pop(key, None)

    async def _shown(self, key: tuple[Address, str], mark: _Mark) -> None:
        """Shows the wanted reaction, again if it changes meanwhile, until the two are equal."""
        address, message_id = key
        channel, waits = self._channels[address.channel], 0
        while mark.shown is not mark.wanted and waits < _MOST_WAITS:
            sign = mark.wanted
            try:
                await channel.sign(address, sign, message_id)
                mark.shown = sign
            except FloodWait as wait:
                waits += 1
                await self._clock.sleep(min(wait.retry_after, _LONGEST_WAIT))

    async def _give_up(self, key: tuple[Address, str], mark: _Mark) -> None:
        """Removes the reaction of this message, and sends no more reactions to the chat."""
        address, message_id = key
        self._unwilling.add((address.channel, address.chat))
        self._marks.pop(key, None)
        if mark.shown is not None:
            try:
                await self._channels[address.channel].sign(address, Sign.NONE, message_id)
            except ChannelError as fault:
                _LOG.info("a reaction stays: %s", fault)
