"""The desk that asks for a city or a location, and finds a person's time zone by it."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.change import Change, CheckAccess, SaveProfile, Show, Write
from bot.domain.clock.zones import city
from bot.domain.talk.geo_point import point_in
from bot.domain.talk.message import (
    REPLY_WITH,
    Button,
    Hint,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.talk.person import Person
from bot.flow.approvals.desks import NOT_OURS, PLACES, Taken, Unawaited, refused
from bot.flow.commanding.choices import choice
from bot.flow.people.zone_names import ZoneNames, from_now_on
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.outbox import Outbox
from bot.ports.timing import ZonesAt

Rezoned: TypeAlias = Callable[[Person, str | None], Awaitable[Sequence[Write]]]
"""Returns the writes for a person's new zone; None is the common one."""

BY_PLACE = Button("📍 By my location", f"{PLACES}:place")
_CITY = f"{PLACES}:city"
ANOTHER_CITY = Button("Another city", _CITY, Hint.CITY)

_KEY = "zone-place:"
_CITY_KEY = "zone-city:"
_ASKS = "Share your location as a reply to this message. I keep the time zone, not the place."
_NO_PLACE = "That is no location. Share one as a reply, or write `/timezone` and your city."
_NO_ZONE = "I found no time zone there. Write `/timezone` and your city, as in `/timezone Lisbon`."


class ZoneAsking(Unawaited):
    """Sets the zone of a city or a place; where people use two, it asks which one."""

    def __init__(
        self, journal: Journal, outbox: Outbox, zones_at: ZonesAt, rezoned: Rezoned, clock: Clock
    ) -> None:
        self._journal = journal
        self._outbox = outbox
        self._rezoned = rezoned
        self._zones_at = zones_at
        self._clock = clock
        self._names = ZoneNames()

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        """Asks for the city or the location."""
        if person is None:
            return refused(NOT_OURS)
        if press.data == _CITY:
            shown = Show(f"{_CITY_KEY}{press.handle}", chat, _which_city(f"🌍 {Hint.CITY}"))
            await self._journal.commit(Change((shown,), durable=True))
            return PressAnswer()
        question = Outbound(OutboundKind.NOTICE, (Plain(f"📍 {_ASKS}"),), asks=_ASKS)
        shown = Show(f"{_KEY}{press.handle}", chat, question)
        await self._journal.commit(Change((shown,), durable=True))
        return PressAnswer()

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
        if key.startswith(_CITY_KEY):
            return await self._named(chat, key, " ".join(text.split()), person)
        if not key.startswith(_KEY):
            return Taken.NO
        place, answer = point_in(text), f"{key}:answer"
        if place is None:
            told = Outbound(OutboundKind.NOTICE, (Markdown(_NO_PLACE),))
            await self._journal.commit(Change((Show(answer, chat, told, anew=True),), durable=True))
            return Taken.DECIDED
        zones = sorted(await self._zones_at(place.latitude, place.longitude))
        if not zones:
            told = Outbound(OutboundKind.NOTICE, (Markdown(_NO_ZONE),))
            change = Change((Show(answer, chat, told),), durable=True)
        elif len(zones) == 1:
            saved = SaveProfile(person.id, person.about, zones[0])
            told = Outbound(OutboundKind.NOTICE, (self._set(zones[0]),))
            moved = await self._rezoned(person, zones[0])
            change = Change(
                (CheckAccess(person.id), saved, *moved, Show(answer, chat, told)), durable=True
            )
        else:
            rows = tuple(choice(city(zone), "timezone", zone) for zone in zones)
            words = "People there use more than one clock. Which city has your time?"
            told = Outbound(OutboundKind.MENU, (Markdown(words),), rows)
            change = Change((Show(answer, chat, told),), durable=True)
        await self._journal.commit(change)
        return Taken.DECIDED

    def asked_key(self, data: str, handle: str) -> str | None:
        return f"{_CITY_KEY}{handle}" if data == _CITY else None

    async def _named(self, chat: int, key: str, words: str, person: Person) -> Taken:
        """Takes the words for a city; words that name none are asked for again."""
        # The same reply again, after a death, has the same answer.
        digest = hashlib.sha256(f"{key} {words}".encode(errors="replace")).hexdigest()[:12]
        answer = f"{_CITY_KEY}{digest}"
        if await self._outbox.row(answer) is not None:
            return Taken.DECIDED
        zone = await self._names.meant(words)
        if zone is None:
            writes = [Show(answer, chat, _which_city(f"🌍 {await self._names.unknown(words)}"))]
        else:
            told = Outbound(OutboundKind.NOTICE, (self._set(zone),))
            saved = SaveProfile(person.id, person.about, zone)
            moved = await self._rezoned(person, zone)
            writes = [CheckAccess(person.id), saved, *moved, Show(answer, chat, told)]
        await self._journal.commit(Change(tuple(writes), durable=True))
        return Taken.DECIDED

    def _set(self, zone: str) -> Markdown:
        return Markdown(from_now_on(zone, self._clock.now()))

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns None: the button stands below a menu, which asking does not change."""
        return None


def _which_city(text: str) -> Outbound:
    how = Plain(f"{REPLY_WITH}the name of a city.", style="aside")
    return Outbound(OutboundKind.NOTICE, (Plain(text, style="line"), how), asks=Hint.CITY)
