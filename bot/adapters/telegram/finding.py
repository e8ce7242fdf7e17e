"""Finds messages of the bot in a chat that nobody knows, where a confirmation was lost.

The Bot API names no messages and shows none. But it refuses to end the live location of a message
in words that depend on the message, and so it tells what stands there and changes nothing.
"""

from collections.abc import AsyncGenerator, Callable
from enum import Enum, auto
from itertools import count

from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ContentRefused
from bot.domain.talk.message import Address
from bot.ports.sightings import Pace, Traces

MOST_BETWEEN = 300
"""Numbers between known ones that are asked about: the first half of them and the last."""

MOST_BEHIND = 100
"""Numbers behind the newest known one that are asked about."""

SILENCE = 20
"""So many of these in a row without a message are the end: nothing stands behind them."""

_SUPERGROUPS = -1_000_000_000_000
"""Their numbers are below this one."""

_OURS = "no live location in the message"
_OTHERS = "message can't be edited"
_NOTHING = ("message to edit not found", "message_id_invalid")


class NumberOwner(Enum):
    """The owner of a number in a chat, if it is a message there."""

    OURS = auto()
    OTHERS = auto()
    NOTHING = auto()


class Search:
    """A look at the numbers that a message may have, the lowest first.

    They begin behind the last one that was given out before. Private chats and small groups of a
    bot share one counter, so most numbers behind it are known as those of other messages. `below`
    is the number at which they end, as soon as there is one.
    """

    def __init__(
        self, api: TelegramApi, to: Address, traces: Traces, below: Callable[[], int | None]
    ) -> None:
        self._api = api
        self._to = to
        self._below = below
        self._known = {
            int(one.message_id): one.at
            for one in traces.seen
            if one.message_id.isdecimal() and counter_of(one.address) == counter_of(to)
        }
        earlier = [number for number, at in self._known.items() if at <= traces.since]
        earlier += [int(number) for number in traces.before]
        self._floor = max(earlier, default=None)

    async def found(self, pace: Pace) -> AsyncGenerator[int]:
        """Yields the numbers at which a message of the bot stands that nobody knows."""
        if self._floor is None:
            return
        newest = max(self._floor, *self._known)
        for number in self._between(self._floor, newest):
            if not self._ended(number) and await self._asked(number, pace) is NumberOwner.OURS:
                yield number
        silent = 0
        for number in count(newest + 1):
            if silent == SILENCE or number - newest > MOST_BEHIND or self._ended(number):
                return
            owner = await self._asked(number, pace)
            silent = silent + 1 if owner is NumberOwner.NOTHING else 0
            if owner is NumberOwner.OURS:
                yield number

    def _between(self, floor: int, newest: int) -> list[int]:
        """Returns unknown numbers; a message that waited long was sent late, so both ends count."""
        end = self._below()
        numbers = range(floor + 1, newest if end is None else min(newest, end))
        unknown = [number for number in numbers if number not in self._known]
        left = len(unknown) - MOST_BETWEEN
        half = MOST_BETWEEN // 2
        return unknown if left <= 0 else unknown[:half] + unknown[-half:]

    def _ended(self, number: int) -> bool:
        end = self._below()
        return end is not None and number >= end

    async def _asked(self, number: int, pace: Pace) -> NumberOwner:
        async with pace():
            return await owner_of_number(self._api, self._to, number)


def counter_of(address: Address) -> tuple[str, str]:
    """Returns what counts the messages of a chat: itself for a supergroup, else the bot."""
    alone = int(address.chat) < _SUPERGROUPS
    return address.channel, address.chat if alone else ""


async def owner_of_number(api: TelegramApi, to: Address, number: int) -> NumberOwner:
    """Tells what stands there; raises ContentRefused for an unknown answer."""
    try:
        async with api.calling() as bot:
            await bot.stop_message_live_location(to.chat, number)
    except ContentRefused as refused:
        told = str(refused).lower()
        if _OURS in told:
            return NumberOwner.OURS
        if _OTHERS in told:
            return NumberOwner.OTHERS
        if any(words in told for words in _NOTHING):
            return NumberOwner.NOTHING
        raise
    return NumberOwner.OTHERS
