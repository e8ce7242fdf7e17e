"""What owners are told, in their private chats, of what happens to the bot elsewhere."""

from datetime import datetime

from bot.domain.change import Show
from bot.domain.message import Address, Outbound, OutboundKind, Plain
from bot.domain.person import Person
from bot.ports.chats import Chats
from bot.ports.clock import Clock
from bot.ports.outbox import Outbox
from bot.ports.people import People

MOST_AN_HOUR = 3
"""Messages about one chat; what comes after changes the last of them."""


class News:
    """What an owner without a private chat is owed is given up when it is sent."""

    def __init__(self, people: People, chats: Chats, outbox: Outbox, clock: Clock) -> None:
        self._people = people
        self._chats = chats
        self._outbox = outbox
        self._clock = clock

    async def of(self, about: Address, text: str, besides: Person | None = None) -> list[Show]:
        """The messages to all owners but one, to be written with what they tell of."""
        shows: list[Show] = []
        for home in await self._homes(about.channel, besides):
            keys = _keys(about, home, self._clock.now())
            free = [key for key in keys if await self._outbox.row(key) is None]
            shows.append(_show(free[0] if free else keys[-1], home, text))
        return shows

    async def instead(self, about: Address, text: str) -> list[Show]:
        """Changes the newest message of this hour about a chat, where there is one."""
        shows: list[Show] = []
        for home in await self._homes(about.channel, None):
            keys = _keys(about, home, self._clock.now())
            told = [key for key in keys if await self._outbox.row(key) is not None]
            shows.extend((_show(told[-1], home, text),) if told else ())
        return shows

    async def _homes(self, channel: str, besides: Person | None) -> list[int]:
        """The private chats of owners on a channel: each has the number of its person."""
        homes: list[int] = []
        for key, person in await self._people.accounts():
            where, _, number = key.partition(":")
            if person.is_owner and where == channel and person != besides:
                homes.append((await self._chats.at(Address(where, number), private=True)).id)
        return homes


def _keys(about: Address, home: int, now: datetime) -> list[str]:
    return [f"news:{about.key}:{home}:{now:%Y%m%d%H}:{n}" for n in range(MOST_AN_HOUR)]


def _show(key: str, home: int, text: str) -> Show:
    return Show(key, home, Outbound(OutboundKind.NOTICE, (Plain(text),)))
