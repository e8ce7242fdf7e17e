"""Finds messages of the bot in a chat that nobody knows, where a confirmation was lost.

The Bot API names no messages and shows none. But it refuses to end the live location of a message
in words that depend on the message, and so it tells what stands there and changes nothing.
"""

from collections.abc import AsyncGenerator, Callable
from datetime import datetime
from enum import Enum, auto
from itertools import count

from bot.adapters.telegram.api import TelegramApi
from bot.domain.talk.errors import ContentRefused
from bot.domain.talk.message import Address
from bot.ports.sightings import Pace, Traces

MOST_BETWEEN = 1_000
"""Numbers between known ones that are asked about: the first half of them and the last."""

FEWEST_BEHIND = 100
"""Numbers behind the newest known one that are asked about where nobody knows the end."""

_MOST_BEHIND = 2_000
"""Numbers behind it that are asked about up to an end that is known."""

SILENCE = 20
"""So many of these in a row without a message are the end: nothing stands behind them.

Both are more where the counter has given out more, by its pace, since the newest one was seen.
"""

_MOST_GIVEN = 1_000
_BURST = 3
"""Times the pace of before that numbers may be given out at a bad moment."""

_SHORTEST_SPAN = 60.0
_LONGEST_SILENCE = 300.0
"""Seconds for which people are thought to go on at their pace while nothing is stored."""

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
        self,
        api: TelegramApi,
        to: Address,
        traces: Traces,
        below: Callable[[], int | None],
        now: datetime,
        begin: int = 0,
    ) -> None:
        self._api = api
        self._to = to
        self._below = below
        self._now = now
        self.reached = begin
        """The number that was asked about last; a search that begins with it leaves out others."""
        self._known = {
            int(one.message_id): one.at
            for one in traces.seen
            if one.message_id.isdecimal() and counter_of(one.address) == counter_of(to)
        }
        earlier = [number for number, at in self._known.items() if at <= traces.since]
        earlier += [int(number) for number in traces.before]
        self._floor = max(earlier, default=None)
        self._newest = max(self._known, default=0)
        self._given = self._given_since(self._newest)

    async def found(self, pace: Pace) -> AsyncGenerator[int]:
        """Yields the numbers at which a message of the bot stands that nobody knows."""
        if self._floor is None:
            return
        newest = max(self._floor, self._newest)
        for number in self._between(self._floor, newest):
            if number < self.reached or self._ended(number):
                continue
            if await self._asked(number, pace) is NumberOwner.OURS:
                yield number
        last, silence, silent = newest + FEWEST_BEHIND + self._given, SILENCE + self._given, 0
        for number in count(max(newest + 1, self.reached)):
            # As soon as this process has sent something, the end is known and silence is none.
            unending = self._below() is None
            ends = silent >= silence or number > last
            if (ends if unending else number > newest + _MOST_BEHIND) or self._ended(number):
                return
            owner = await self._asked(number, pace)
            silent = silent + 1 if owner is NumberOwner.NOTHING else 0
            if owner is NumberOwner.OURS:
                yield number

    def _given_since(self, newest: int) -> int:
        """Returns about how many numbers went to others, unseen, since the newest known one.

        While nothing can be stored, people go on to write, and so does the bot.
        """
        at = self._known.get(newest)
        if at is None:
            return 0
        first, began = newest, at
        for number, seen in sorted(self._known.items(), reverse=True):
            # An edit makes an old number a new sighting, and says nothing about the pace.
            if seen <= began:
                first, began = number, seen
        pace = (newest - first) / max(_SHORTEST_SPAN, (at - began).total_seconds())
        silence = min(_LONGEST_SILENCE, max(0.0, (self._now - at).total_seconds()))
        return min(_MOST_GIVEN, int(_BURST * pace * silence))

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
        self.reached = number
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
