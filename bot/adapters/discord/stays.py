"""Finds out in which known places the bot still is, and where it may write.

Servers throw it out or invite it, channels and threads end, rights are given and taken.
"""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

from bot.adapters.discord.addresses import CHANNEL, channel_in, is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.doubts import Doubts
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.known import Known
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.presences import Presences
from bot.domain.talk.errors import ChannelError, StoreError
from bot.domain.talk.message import Address, Presence
from bot.ports.clock import Clock

LEFT, BACK, MUTED, HEARD = "PLACES_LEFT", "PLACES_BACK", "PLACES_MUTED", "PLACES_HEARD"
"""Own events, which are stored like those of the gateway: the places that were left, or are back,
and those where the bot may no longer write, or may again."""

INVITED = "SERVER_INVITED"
"""Own event: a server without a known chat has the bot now."""

OWN = (LEFT, BACK, MUTED, HEARD, INVITED)

_OF_A_SERVER = ("GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE")
_UNKNOWN = ""
_MARGIN = timedelta(minutes=2)
"""Clocks differ, and events come late."""

_MOST_TOLD = 10_000
_log = logging.getLogger(__name__)


class Stays:
    """Believes the gateway in what it says, and asks where an event only may have changed rights.

    It holds what is in doubt in memory: a new session begins with all known chats anyway.
    """

    def __init__(self, api: DiscordApi, places: KnownChannels, clock: Clock) -> None:
        self._api = api
        self._places = places
        self._clock = clock
        self._known: Known | None = None
        self._since = datetime.max.replace(tzinfo=UTC)
        self._doubts = Doubts()
        self._told: dict[Address, Presence] = {}
        self._locked: set[str] = set()

    async def prepare(self, known: Known) -> None:
        self._known = known
        heard = await known.heard_until(CHANNEL)
        self._since = (heard or self._clock.now()) - _MARGIN
        self._told = dict(await known.lost(CHANNEL))
        muted = (one.thread for one, how in self._told.items() if how is Presence.MUTED)
        self._locked = {thread for thread in muted if thread is not None}

    def doubt(self, places: Iterable[str]) -> None:
        """Has channels and threads with these numbers looked at next."""
        self._doubts.places.update(places)

    def has_left(self, place: Address) -> bool:
        """Tells if the bot has left a place, as a thread that somebody deleted."""
        return self._told.get(place) is Presence.GONE

    @property
    def uncertain(self) -> bool:
        """Tells if there is something to look at, now or later."""
        return self._doubts.any

    @property
    def doubts(self) -> bool:
        """Tells if there is something that can be looked at now."""
        return self.uncertain and self._places.complete

    def note(self, event: Event) -> Sequence[Event]:
        """Returns what an event says for certain; keeps in mind what has to be asked."""
        fields = event.fields
        number = fields.id("guild_id") or fields.id("id")
        if number is None:
            return ()
        if event.name.startswith("THREAD_"):
            return self._note_thread(event.name, fields, number)
        match event.name:
            case "GUILD_DELETE" if not fields.flag("unavailable"):
                channels = map(_channel, self._places.channels_of(number))
                # Chats whose server is not remembered may be of this one.
                self._doubts.servers.add(_UNKNOWN)
                return self._said(LEFT, {number: list(channels)}, whole=True)
            case "CHANNEL_DELETE" if "guild_id" in fields and (gone := fields.id("id")):
                return self._said(LEFT, {number: [_channel(gone)]})
            case "CHANNEL_UPDATE" if "guild_id" in fields:
                self.doubt(filter(None, [fields.id("id")]))
            case "GUILD_MEMBER_UPDATE" if fields.inner("user").id("id") != self._api.own_id:
                pass
            case name if name in _OF_A_SERVER:
                self._doubts.servers.add(number)
                if not self._places.channels_of(number):
                    self._doubts.servers.add(_UNKNOWN)
            case "GUILD_CREATE" if not fields.flag("unavailable"):
                # It comes at each start, too: only what was lost there can be news.
                self._doubts.joined[number] = fields
            case _:
                pass
        return ()

    def _note_thread(self, name: str, fields: Fields, server: str) -> Sequence[Event]:
        thread, parent = fields.id("id"), fields.id("parent_id")
        if thread is None or parent is None:
            return ()
        here = {server: [Address(CHANNEL, f"-{parent}", thread)]}
        match name:
            case "THREAD_DELETE":
                return self._said(LEFT, here)
            case "THREAD_CREATE":
                # The message that opened a deleted thread may open it again.
                self._doubts.reopened.add(thread)
            case "THREAD_UPDATE":
                locked = fields.inner("thread_metadata").flag("locked")
                if locked is (thread in self._locked):
                    return ()
                (self._locked.add if locked else self._locked.discard)(thread)
                return self._said(MUTED if locked else HEARD, here)
            case _:
                pass
        return ()

    async def look(self) -> Sequence[Event]:
        """Returns what became of the places in doubt; keeps those that cannot be asked for."""
        if self._known is None or not self.doubts:
            return ()
        doubts, self._doubts = self._doubts, Doubts()
        presences = Presences(self._api, self._places)
        news: dict[tuple[str, str], list[Address]] = {}
        invited: Sequence[Event] = ()
        try:
            told = {**await self._known.lost(CHANNEL), **self._told}
            lost = {place for place, how in told.items() if how is not Presence.MEMBER}
            for place in await self._in_doubt(doubts, lost):
                was, now = told.get(place, Presence.MEMBER), await presences.at(place)
                if was is not now and not presences.has_no_channel(place):
                    server = self._server_of(place)
                    news.setdefault((_news(was, now), server), []).append(place)
            invited = await self._invited(doubts, {self._server_of(one) for one in lost}, presences)
        except (StoreError, ChannelError) as fault:
            _log.warning("Channels cannot be looked at: %s. I try again.", fault)
            self._doubts.join(doubts)
        said = [self._said(name, {server: of}) for (name, server), of in news.items()]
        return [*invited, *chain.from_iterable(said)]

    def _server_of(self, place: Address) -> str:
        return self._places.known_server_of(channel_in(place)) or _UNKNOWN

    async def _in_doubt(self, doubts: Doubts, lost: Collection[Address]) -> Sequence[Address]:
        """Returns the known places among those in doubt, channels before threads."""
        chats = () if self._known is None else await self._known.chats_of(CHANNEL)
        here = [one for one in chats if is_server(one)]
        known = {*here, *(Address(CHANNEL, one.chat) for one in here), *lost}
        found = [
            one for one in known if doubts.holds(one, self._server_of(one), is_lost=one in lost)
        ]
        return sorted(found, key=lambda one: (one.thread or "", one.chat))

    async def _invited(
        self, doubts: Doubts, lost_in: Collection[str], presences: Presences
    ) -> Sequence[Event]:
        """Returns an event for each server that is new; of one with lost places these tell it."""
        events: list[Event] = []
        for number, told in doubts.joined.items():
            at = told.time("joined_at")
            if at is not None and at > self._since and number not in lost_in:
                by = await presences.inviter(number)
                joined: dict[str, Any] = {"id": number, "joined_at": told.text("joined_at")}
                events.append(Event(INVITED, None, joined | ({"by": by} if by else {})))
        return events

    def _said(
        self, name: str, by_server: Mapping[str, Sequence[Address]], *, whole: bool = False
    ) -> Sequence[Event]:
        events: list[Event] = []
        for server, places in by_server.items():
            if not places:
                continue
            if len(self._told) > _MOST_TOLD:
                self._told.clear()
            self._told |= dict.fromkeys(places, _NOW[name])
            events.append(Event(name, None, _data(server, places, whole=whole)))
        return events


_NOW = {LEFT: Presence.GONE, BACK: Presence.MEMBER, MUTED: Presence.MUTED, HEARD: Presence.MEMBER}


def _news(was: Presence, now: Presence) -> str:
    """Returns the event that tells a change."""
    match now:
        case Presence.GONE:
            return LEFT
        case Presence.MUTED:
            return MUTED
        case _:
            return BACK if was is Presence.GONE else HEARD


def _channel(number: str) -> Address:
    return Address(CHANNEL, f"-{number}")


def _data(server: str, places: Sequence[Address], *, whole: bool) -> Mapping[str, Any]:
    told: dict[str, Any] = {"guild_id": server} if server else {}
    threads = [{"id": one.thread, "parent": one.chat[1:]} for one in places if one.thread]
    channels = [channel_in(one) for one in places if not one.thread]
    return {"channels": channels, "threads": threads, "whole": whole, **told}


def places_in(event: Fields) -> Sequence[Address]:
    """Returns the places that an own event names."""
    threads = [
        Address(CHANNEL, f"-{parent}", thread)
        for parent, thread in ((one.id("parent"), one.id("id")) for one in event.items("threads"))
        if parent and thread
    ]
    return [*map(_channel, event.ids("channels")), *threads]
