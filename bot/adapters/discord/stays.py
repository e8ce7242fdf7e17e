"""Finds out in which known channels the bot still is: servers throw it out, channels end."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from bot.adapters.discord.addresses import CHANNEL, is_server
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Event
from bot.adapters.discord.known import Known
from bot.adapters.discord.places import Places
from bot.domain.errors import ChannelError, ContentRefused, RecipientGone, StoreError

LEFT, BACK = "PLACES_LEFT", "PLACES_BACK"
"""Own events, which are stored like those of the gateway: the channels that were left, or are back.
"""

_OF_A_SERVER = ("GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE")
_UNKNOWN = ""
_log = logging.getLogger(__name__)


class Stays:
    """Believes the gateway in what it says, and asks where an event only may have changed rights.

    It holds what is in doubt in memory: a new session begins with all known chats anyway.
    """

    def __init__(self, api: DiscordApi, places: Places) -> None:
        self._api = api
        self._places = places
        self._known: Known | None = None
        self._joined: set[str] = set()
        self._servers: set[str] = set()
        self._channels: set[str] = set()
        self._just_left: set[str] = set()

    async def prepare(self, known: Known) -> None:
        self._known = known

    def doubt(self, channels: Iterable[str]) -> None:
        """Has these channels looked at next."""
        self._channels.update(channels)

    @property
    def doubts(self) -> bool:
        """Tells if there is something that can be looked at now."""
        return bool(self._joined or self._servers or self._channels) and self._places.complete

    def note(self, event: Event) -> Sequence[Event]:
        """Returns what an event says for certain; keeps in mind what has to be asked."""
        fields = event.fields
        number = fields.id("guild_id") or fields.id("id")
        if number is None:
            return ()
        match event.name:
            case "GUILD_DELETE" if not fields.flag("unavailable"):
                channels = self._places.channels_of(number)
                # Chats whose server is not remembered may be of this one.
                self._servers.add(_UNKNOWN)
                return self._said(LEFT, {number: channels}, whole=True)
            case "CHANNEL_DELETE" if "guild_id" in fields and "id" in fields:
                return self._said(LEFT, {number: [fields.id("id") or ""]})
            case "CHANNEL_UPDATE" if "guild_id" in fields:
                self.doubt(filter(None, [fields.id("id")]))
            case "GUILD_MEMBER_UPDATE" if fields.inner("user").id("id") != self._api.own_id:
                pass
            case name if name in _OF_A_SERVER:
                self._servers.add(number)
            case "GUILD_CREATE" if not fields.flag("unavailable"):
                # It comes at each start, too: only what was left there can be news.
                self._joined.add(number)
            case _:
                pass
        return ()

    async def look(self) -> Sequence[Event]:
        """Returns what became of the channels in doubt; keeps those that cannot be asked for."""
        if self._known is None or not self.doubts:
            return ()
        joined, servers, channels = self._joined, self._servers, self._channels
        self._joined, self._servers, self._channels = set(), set(), set()
        gone: dict[str, list[str]] = {}
        there: dict[str, list[str]] = {}
        try:
            left = {one.chat.removeprefix("-") for one in await self._known.left(CHANNEL)}
            left |= self._just_left
            channels |= {one for one in left if self._places.known_server_of(one) in joined}
            for channel in await self._doubtful(servers, channels, left):
                is_there = await self._is_there(channel)
                channels.discard(channel)
                if is_there is (channel in left):
                    server = self._places.known_server_of(channel) or ""
                    (there if is_there else gone).setdefault(server, []).append(channel)
        except (StoreError, ChannelError) as fault:
            _log.warning("Channels cannot be looked at: %s. I try again.", fault)
            self._joined |= joined
            self._servers |= servers
            self._channels |= channels
        return [*self._said(LEFT, gone), *self._said(BACK, there)]

    async def _doubtful(
        self, servers: Collection[str], channels: Collection[str], left: Collection[str]
    ) -> Sequence[str]:
        """Returns the known channels among those in doubt, and those that were left there."""
        chats = () if self._known is None else await self._known.chats_of(CHANNEL)
        known = {one.chat.removeprefix("-") for one in chats if is_server(one)} | {*left}
        return [
            one
            for one in sorted(known)
            if one in channels or (self._places.known_server_of(one) or _UNKNOWN) in servers
        ]

    async def _is_there(self, channel: str) -> bool:
        names = {"channel_id": channel}
        try:
            await self._api.call("GET", "/channels/{channel_id}", names=names)
        except (ContentRefused, RecipientGone):
            return False
        return True

    def _said(
        self, name: str, by_server: Mapping[str, Sequence[str]], *, whole: bool = False
    ) -> Sequence[Event]:
        events: list[Event] = []
        for server, channels in by_server.items():
            if not channels:
                continue
            if name == LEFT:
                self._just_left.update(channels)
            else:
                self._just_left.difference_update(channels)
            events.append(Event(name, None, _data(server, channels, whole=whole)))
        return events


def _data(server: str, channels: Sequence[str], *, whole: bool) -> Mapping[str, Any]:
    told = {"guild_id": server} if server else {}
    return {"channels": list(channels), "whole": whole, **told}


def channels_in(event: Fields) -> Sequence[str]:
    """Returns the channels that an own event names."""
    return list(event.ids("channels"))
