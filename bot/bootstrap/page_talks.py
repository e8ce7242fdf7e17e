"""The conversations of a person on the page: its own ones, and the private chats of platforms."""

import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from bot.adapters.web.shown import ListedChat
from bot.adapters.web.uploads import Uploads
from bot.bootstrap.channel_form import Accept
from bot.bootstrap.opening import Running
from bot.bootstrap.page_rows_told import address_of, key_of, place_of, title_of, version_of
from bot.bootstrap.page_talk import PageTalk
from bot.domain.clock.zones import Zones
from bot.domain.talk.chat import Chat
from bot.domain.talk.message import Address, FileRef, RawUpdate
from bot.domain.talk.person import AT_THE_MACHINE, Person
from bot.domain.talk.session import PAGE
from bot.domain.text.names import plain_name
from bot.domain.value import replace
from bot.flow.inspection.listing import ListPlace, Ways, part_among
from bot.flow.reading.row_reader import RowReader
from bot.ports.records import RowKey

_NEW = "New conversation"
_MOST_LISTED = 50
_MOST_SEARCHED = 150
"""Conversations of which a search knows the first words; of older ones it knows given titles."""

_MOST_PLANS = 200
_NEVER = datetime.fromtimestamp(0, UTC)
_Order: TypeAlias = tuple[datetime, int]


class PageTalks:
    """Finds the conversations of a person by their accounts: a private chat has their number."""

    def __init__(self, running: Running, zones: Zones, accept: Accept, uploads: Uploads) -> None:
        self._running = running
        self._zones = zones
        self._accept = accept
        self._uploads = uploads

    async def listed(self, person: Person, current: str = "") -> Sequence[ListedChat]:
        return (await self.part(person, None, current))[0]

    async def part(
        self, person: Person, place: ListPlace[RowKey] | None, current: str = ""
    ) -> tuple[Sequence[ListedChat], Ways[RowKey]]:
        at = place and ListPlace((place.key.at, place.key.position), place.back)
        every = await self._ordered(person)
        shown, ways = await part_among(every, _first, at, _MOST_LISTED, falling=True)
        store = self._running.store
        plans = Counter(one.chat for one in await store.records.plans(person.id, None, _MOST_PLANS))
        chats = [
            replace(
                await self._told(chat, newest),
                waiting=len(await store.approvals.open_in(chat.id)) + plans[chat.id],
                current=key_of(chat.address) == current,
            )
            for (newest, _), chat in shown
        ]
        return chats, Ways(*(one and _key(one) for one in (ways.before, ways.behind)))

    async def searched(self, person: Person) -> Sequence[ListedChat]:
        """Returns the newest conversations as a search needs them: without what waits there."""
        every = await self._ordered(person)
        return [await self._told(chat, at) for (at, _), chat in every[:_MOST_SEARCHED]]

    async def _ordered(self, person: Person) -> Sequence[tuple[_Order, Chat]]:
        """Returns a person's conversations with their places in the list, the newest first.

        Those in which nothing was said come last.
        """
        chats = await self._chats(person)
        times = await self._running.store.page.newest([chat.id for chat in chats])
        placed = [((times.get(chat.id, _NEVER), chat.id), chat) for chat in chats]
        return sorted(placed, key=_first, reverse=True)

    async def _told(self, chat: Chat, at: datetime) -> ListedChat:
        return ListedChat(
            key_of(chat.address),
            await self._title(chat),
            place_of(chat.address),
            None if at == _NEVER else at,
            skill=chat.skill or "",
        )

    async def of(self, person: Person, key: str) -> PageTalk | None:
        address = address_of(key)
        home = Address(address.channel, address.chat).key
        accounts, there = await self._running.store.page.doors(person.id, address)
        if home not in self._shown(accounts):
            return None
        chat = next((one for one in there if one.address == address and one.private), None)
        if chat is None and address.channel == PAGE and address.thread is None:
            chat = await self._running.store.chats.at(address, private=True)
        if chat is None:
            return None
        return PageTalk(self._running, self._zones, self._uploads, chat, person, self._title)

    async def keys(self, person: Person) -> Mapping[int, str]:
        """Returns the names of a person's conversations in addresses, by their numbers."""
        return {chat.id: key_of(chat.address) for chat in await self._chats(person)}

    async def begin(self, person: Person) -> str:
        """Returns one that is there and empty, or makes one."""
        own = [chat for chat in await self._chats(person) if chat.address.channel == PAGE]
        used = await self._running.store.page.newest([chat.id for chat in own])
        empty = next((chat for chat in own if chat.id not in used), None)
        if empty is not None:
            return key_of(empty.address)
        home = next(key for key in await self._homes(person) if key.startswith(f"{PAGE}:"))
        number = Address.from_key(home).chat
        address = Address(PAGE, number, secrets.token_hex(4) if own else None)
        return key_of((await self._running.store.chats.at(address, private=True)).address)

    async def file(
        self, person: Person, id: int, number: int, *, sent: bool = False
    ) -> FileRef | None:
        if sent:
            return await self._sent(person, id, number)
        row = await self._running.store.page.message(id)
        if row is None or not version_of(row) or number >= len(row.content.files):
            return None
        home = Address(row.address.channel, row.address.chat).key
        known = home in await self._homes(person)
        return row.content.files[number] if known else None

    async def _sent(self, person: Person, id: int, number: int) -> FileRef | None:
        """Returns a file that the person gave to the page, as long as it is kept."""
        row = await self._running.store.inbox.get(id)
        if row is None or row.channel != PAGE:
            return None
        message = RowReader(self._running.application.parts.world.channels).message(row)
        if message is None or number >= len(message.attachments):
            return None
        home = Address(message.address.channel, message.address.chat).key
        file = message.attachments[number]
        place = self._uploads.place_of(file) if home in await self._homes(person) else None
        return None if place is None else FileRef(str(place), file.name)

    async def accept(self, update: RawUpdate) -> None:
        await self._accept((update,))

    async def _homes(self, person: Person) -> Sequence[str]:
        """Returns the accounts of a person whose private chats the page shows."""
        return self._shown(await self._running.store.page.accounts(person.id))

    def _shown(self, accounts: Sequence[str]) -> Sequence[str]:
        served = self._running.application.parts.world.channels
        channels = ((key, key.partition(":")[0]) for key in accounts)
        return [key for key, name in channels if name in served and name != AT_THE_MACHINE]

    async def _chats(self, person: Person) -> Sequence[Chat]:
        found: list[Chat] = []
        for key in await self._homes(person):
            there = await self._running.store.chats.within(Address.from_key(key))
            found += [chat for chat in there if chat.private and _is_at(chat, key)]
        return found

    async def _title(self, chat: Chat) -> str:
        if chat.title:
            return plain_name(chat.title)
        known = await self._running.store.chats.listing(chat.id, chat.conversation)
        named = "" if known is None else title_of(known)
        return named or place_of(chat.address) or _NEW


def _first(one: tuple[_Order, Chat]) -> _Order:
    return one[0]


def _key(order: _Order) -> RowKey:
    at, number = order
    return RowKey(at, "chat", number)


def _is_at(chat: Chat, home: str) -> bool:
    return Address(chat.address.channel, chat.address.chat).key == home
