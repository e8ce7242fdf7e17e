"""The desk that asks for a city or a location, and finds a person's time zone by it."""

from collections.abc import Awaitable, Callable, Sequence
from enum import StrEnum
from typing import TypeAlias

from bot.domain.change import Change, CheckAccess, SaveProfile, Show, Write
from bot.domain.clock.zones import city
from bot.domain.talk.button_data import ButtonCodec
from bot.domain.talk.geo_point import point_in
from bot.domain.talk.message import Hint, Markdown, Outbound, OutboundKind, Plain, Press
from bot.domain.talk.person import Person
from bot.domain.value import frozen
from bot.flow.commanding.asking_desk import AskingDesk, answer_to, question
from bot.flow.commanding.choices import choice
from bot.flow.commanding.desks import PLACES, Taken
from bot.flow.people.zone_names import ZoneNames, from_now_on
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox
from bot.ports.timing import ZonesAt

Rezoned: TypeAlias = Callable[[Person, str | None], Awaitable[Sequence[Write]]]
"""Returns the writes for a person's new zone; None is the common one."""


class ZoneWay(StrEnum):
    CITY = "city"
    PLACE = "place"


@frozen
class ZoneButton:
    """The meaning of a button: it asks for a city or a location."""

    by: ZoneWay


ZONE_BUTTONS = ButtonCodec(PLACES, ZoneButton)
BY_PLACE = ZONE_BUTTONS.button("📍 By my location", ZoneButton(ZoneWay.PLACE))
ANOTHER_CITY = ZONE_BUTTONS.button("Another city", ZoneButton(ZoneWay.CITY), Hint.CITY)

_KEYS = {way: f"zone-{way}:" for way in ZoneWay}
_ASKS = "Share your location as a reply to this message. I keep the time zone, not the place."
_NO_PLACE = "That is no location. Share one as a reply, or write `/timezone` and your city."
_NO_ZONE = "I found no time zone there. Write `/timezone` and your city, as in `/timezone Lisbon`."


class ZoneAsking(AskingDesk[ZoneButton]):
    """Sets the zone of a city or a place; where people use two, it asks which one."""

    buttons = (ZONE_BUTTONS,)

    def __init__(
        self, journal: Journal, outbox: Outbox, zones_at: ZonesAt, rezoned: Rezoned, clock: Clock
    ) -> None:
        super().__init__(journal, outbox)
        self._rezoned = rezoned
        self._zones_at = zones_at
        self._clock = clock
        self._names = ZoneNames()

    def stem(self, meant: ZoneButton) -> str | None:
        return _KEYS[meant.by].removesuffix(":")

    async def question(
        self, meant: ZoneButton, press: Press, chat: int, person: Person
    ) -> Outbound | str:
        if meant.by is ZoneWay.CITY:
            return _which_city(f"🌍 {Hint.CITY}")
        return Outbound(OutboundKind.NOTICE, (Plain(f"📍 {_ASKS}"),), asks=_ASKS)

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        if key.startswith(_KEYS[ZoneWay.CITY]):
            return await self._named(chat, key, " ".join(text.split()), person)
        if not key.startswith(_KEYS[ZoneWay.PLACE]):
            return Taken.NO
        place, answer = point_in(text), f"{key}:answer"
        if place is None:
            told = Outbound(OutboundKind.NOTICE, (Markdown(_NO_PLACE),))
            return await self._decided(Show(answer, chat, told, anew=True))
        zones = sorted(await self._zones_at(place.latitude, place.longitude))
        if not zones:
            told = Outbound(OutboundKind.NOTICE, (Markdown(_NO_ZONE),))
            return await self._decided(Show(answer, chat, told))
        if len(zones) == 1:
            return await self._decided(*await self._set(zones[0], person, answer, chat))
        rows = tuple(choice(city(zone), "timezone", zone) for zone in zones)
        words = "People there use more than one clock. Which city has your time?"
        return await self._decided(
            Show(answer, chat, Outbound(OutboundKind.MENU, (Markdown(words),), rows))
        )

    async def _named(self, chat: int, key: str, words: str, person: Person) -> Taken:
        """Takes the words for a city; words that name none are asked for again."""
        answer = answer_to(key, words)
        if await self._answered(answer):
            return Taken.DECIDED
        zone = await self._names.meant(words)
        if zone is None:
            again = _which_city(f"🌍 {await self._names.unknown(words)}")
            return await self._decided(Show(answer, chat, again))
        return await self._decided(*await self._set(zone, person, answer, chat))

    async def _set(self, zone: str, person: Person, answer: str, chat: int) -> tuple[Write, ...]:
        """Returns the writes that give a person a zone, and tell so."""
        told = Outbound(OutboundKind.NOTICE, (Markdown(from_now_on(zone, self._clock.now())),))
        saved = SaveProfile(person.id, person.about, zone)
        moved = await self._rezoned(person, zone)
        return (CheckAccess(person.id), saved, *moved, Show(answer, chat, told))

    async def _decided(self, *writes: Write) -> Taken:
        await self._journal.commit(Change(writes, durable=True))
        return Taken.DECIDED


def _which_city(text: str) -> Outbound:
    return question(Plain(text, style="line"), Hint.CITY, "the name of a city")
