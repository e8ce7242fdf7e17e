"""Finds conversations by their titles, and the places in them that a search leads to."""

from collections.abc import Mapping, Sequence, Set
from urllib.parse import quote
from zoneinfo import ZoneInfo

from bot.adapters.sql.page_places import TitledTalk
from bot.adapters.sql.store import Store
from bot.adapters.web.found import FoundChat
from bot.adapters.web.mark import Mark
from bot.bootstrap.page_talks import PageTalks
from bot.domain.clock.zones import Zones
from bot.domain.talk.person import Person

_LOOKED_AT, _MOST = 1_000, 20
"""Conversations with a title that are looked at, and those that are shown."""


class PageFinder:
    def __init__(self, store: Store, talks: PageTalks, zones: Zones) -> None:
        self._store = store
        self._talks = talks
        self._zones = zones

    async def titled(self, person: Person, words: str) -> Sequence[FoundChat]:
        wanted, listed = words.casefold().split(), await self._talks.searched(person)
        found = [
            FoundChat(one.title, _address(one.key), one.place, one.at)
            for one in listed
            if _has(one.title, wanted)
        ]
        shown = frozenset(one.key for one in listed)
        return [*found, *await self._unlisted(person, wanted, shown)][:_MOST]

    async def _unlisted(
        self, person: Person, wanted: Sequence[str], shown: Set[str]
    ) -> Sequence[FoundChat]:
        """Returns conversations that the list does not show: older ones, and those that were left.

        One that was left counts as far as an answer of it is remembered.
        """
        keys, zone = await self.keys(person), ZoneInfo(self._zones.of(person))
        known = await self._store.page_places.titled(keys.keys(), _LOOKED_AT)
        others = (one for one in known if one.closed_at is not None or keys[one.chat] not in shown)
        meant = [one for one in others if _has(one.title, wanted)][:_MOST]
        found = [await self._found(one, keys[one.chat], zone) for one in meant]
        return [one for one in found if one is not None]

    async def _found(self, one: TitledTalk, key: str, zone: ZoneInfo) -> FoundChat | None:
        at = one.opened_at.astimezone(zone)
        if one.closed_at is None:
            return FoundChat(one.title, _address(key), "", at)
        turn = await self._store.page_places.last_turn(one.id)
        if turn is None:
            return None
        href = f"{_address(key)}/at/{quote(turn, safe=':')}#found"
        return FoundChat(one.title, href, "", at)

    async def keys(self, person: Person) -> Mapping[int, str]:
        return await self._talks.keys(person)

    async def behind(self, chat: int, turn: str) -> str:
        rows = await self._store.page_places.rows_of(chat, turn)
        return "" if rows is None else str(Mark(rows[0] + 1, rows[1] + 1))


def _address(key: str) -> str:
    return f"/chat/{quote(key, safe=':')}"


def _has(title: str, wanted: Sequence[str]) -> bool:
    told = title.casefold()
    return all(word in told for word in wanted)
