"""The desk that finds a person's time zone by the location that they share."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from bot.domain.change import Change, SaveProfile, Show, Write
from bot.domain.geo_point import point_in
from bot.domain.markdown import inline_code
from bot.domain.message import (
    Button,
    Markdown,
    Outbound,
    OutboundKind,
    Plain,
    Press,
    PressAnswer,
)
from bot.domain.person import Person
from bot.domain.zones import city
from bot.flow.approvals.desks import NOT_OURS, PLACES, Taken, Unawaited, refused
from bot.flow.commands.choices import choice
from bot.ports.journal import Journal
from bot.ports.timing import ZonesAt

Rezoned: TypeAlias = Callable[[Person, str | None], Awaitable[Sequence[Write]]]
"""Returns the writes for a person's new zone; None is the common one."""

BY_PLACE = Button("📍 By my location", f"{PLACES}:place")

_KEY = "zone-place:"
_ASKS = "Share your location as a reply to this message. I keep the time zone, not the place."
_NO_PLACE = "That is no location. Share one as a reply, or write `/timezone` and your city."
_NO_ZONE = "I found no time zone there. Write `/timezone` and your city, as in `/timezone Lisbon`."


class ZoneByPlace(Unawaited):
    """Sets the zone of a place; where people use two, it asks which one."""

    def __init__(self, journal: Journal, zones_at: ZonesAt, rezoned: Rezoned) -> None:
        self._journal = journal
        self._rezoned = rezoned
        self._zones_at = zones_at

    async def press(self, press: Press, chat: int, person: Person | None) -> PressAnswer:
        """Asks for the location."""
        if person is None:
            return refused(NOT_OURS)
        question = Outbound(OutboundKind.NOTICE, (Plain(f"📍 {_ASKS}"),), asks=_ASKS)
        shown = Show(f"{_KEY}{press.handle}", chat, question)
        await self._journal.commit(Change((shown,), durable=True))
        return PressAnswer()

    async def reply(
        self, chat: int, key: str, text: str, person: Person, *, asked: bool = False
    ) -> Taken:
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
            words = f"From now on I use {inline_code(zones[0])}."
            told = Outbound(OutboundKind.NOTICE, (Markdown(words),))
            moved = await self._rezoned(person, zones[0])
            change = Change((saved, *moved, Show(answer, chat, told)), durable=True)
        else:
            rows = tuple(choice(city(zone), "timezone", zone) for zone in zones)
            words = "People there use more than one clock. Which city has your time?"
            told = Outbound(OutboundKind.MENU, (Markdown(words),), rows)
            change = Change((Show(answer, chat, told),), durable=True)
        await self._journal.commit(change)
        return Taken.DECIDED

    async def card_key(self, data: str, chat: int) -> str | None:
        """Returns None: the button stands below a menu, which asking does not change."""
        return None
