"""Remembers what the gateway tells of channels: their names, and what a thread hangs below."""

from collections.abc import Sequence

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.domain.talk.errors import ChannelError
from bot.domain.value import frozen

_THREADS = (10, 11, 12)
_MOST_PLACES = 50_000
_LONGEST_NAME = 60
_CHANNELS = ("CHANNEL_CREATE", "CHANNEL_UPDATE", "THREAD_CREATE", "THREAD_UPDATE")


@frozen
class KnownChannel:
    """A channel of a server: its name, and for a thread the number of the channel above it."""

    name: str
    parent: str | None = None
    server: str | None = None


class KnownChannels:
    """Holds names alone; the people of a server are never kept."""

    def __init__(self, api: DiscordApi) -> None:
        self._api = api
        self._places: dict[str, KnownChannel] = {}
        self._servers: dict[str, str] = {}
        self._roles: dict[str, str] = {}
        self._awaited: dict[int, set[str]] = {}
        self._heir = False
        """True when another process was told of servers that this one knows nothing of."""

    def learn(self, name: str, event: Fields) -> None:
        """Takes what an event tells of a server or of a channel."""
        if name in ("GUILD_CREATE", "GUILD_DELETE"):
            self._learn_outage(event)
        if name == "GUILD_CREATE":
            self._learn_server(event)
        elif name == "THREAD_LIST_SYNC":
            self._learn_channels(event, "threads")
        elif name in _CHANNELS:
            self._learn_channel(event)

    def begin(self, shard: int, ready: Fields) -> None:
        """Takes from READY for which servers an event is still to come."""
        servers = (one.id("id") for one in ready.items("guilds"))
        self._awaited[shard] = {number for number in servers if number is not None}

    def go_on(self, shard: int) -> None:
        """Awaits no server in a session that another process began; `of` asks for each."""
        self._heir = self._heir or shard not in self._awaited
        self._awaited.setdefault(shard, set())

    @property
    def complete(self) -> bool:
        """Returns False while a server may be there that has not told of its channels.

        It is so at the beginning, and in an outage of Discord's.
        """
        return len(self._awaited) == self._api.shards and not any(self._awaited.values())

    def _learn_outage(self, server: Fields) -> None:
        number = server.id("id") or ""
        out = server.flag("unavailable")
        shard = (int(number or 0) >> 22) % self._api.shards
        awaited = self._awaited.setdefault(shard, set()) if out else self._awaited.get(shard, set())
        (awaited.add if out else awaited.discard)(number)

    def channels_of(self, server: str) -> Sequence[str]:
        """Returns the channels of a server that are known here, threads left out."""
        of_it = ((n, one) for n, one in self._places.items() if one.server == server)
        return [number for number, one in of_it if one.parent is None]

    def known_server_of(self, channel: str) -> str | None:
        """Returns the server of a channel if an event has told of it."""
        place = self._places.get(channel)
        return None if place is None else place.server

    def title_of(self, channels: Sequence[str], server: str | None, *, whole: bool) -> str:
        """Returns the name of a channel with its server, of more than one the server's alone."""
        named = self._places.get(channels[0]) if len(channels) == 1 and not whole else None
        titles = (named and named.name and f"#{named.name}", self._servers.get(server or "", ""))
        return " · ".join(filter(None, titles))

    def _learn_server(self, server: Fields) -> None:
        number = server.id("id")
        if number is None or server.flag("unavailable"):
            return
        self._servers[number] = server.line("name", _LONGEST_NAME)
        for role in server.items("roles"):
            if role.inner("tags").id("bot_id") == self._api.own_id:
                self._roles[number] = role.id("id") or ""
        for kind in ("channels", "threads"):
            self._learn_channels(server, kind)

    def _learn_channels(self, event: Fields, kind: str) -> None:
        server = event.id("id") or event.id("guild_id")
        for channel in event.items(kind):
            self._learn_channel(channel, server)

    def _learn_channel(self, channel: Fields, server: str | None = None) -> KnownChannel | None:
        number = channel.id("id")
        if number is None:
            return None
        if len(self._places) >= _MOST_PLACES:
            self._places.clear()
        parent = channel.id("parent_id") if channel.number("type") in _THREADS else None
        server = server or channel.id("guild_id")
        place = KnownChannel(channel.line("name", _LONGEST_NAME), parent, server)
        self._places[number] = place
        return place

    async def of(self, event: Fields) -> dict[str, str]:
        """Returns what is stored beside an event: title, parent and role in a server."""
        channel, server = event.id("channel_id"), event.id("guild_id")
        if channel is None:
            return {}
        if server is None:
            return await self._person(event, channel)
        place = (
            self._places.get(channel)
            # A press tells of its channel, and there is no time to ask for it.
            or self._learn_channel(event.inner("channel"), server)
            or await self._asked(channel)
        )
        # A press has no time for it.
        if self._heir and server not in self._servers and "token" not in event:
            await self._ask_for_server(server)
        titles = (place.name and f"#{place.name}", self._servers.get(server, ""))
        told = {
            "title": " · ".join(filter(None, titles)),
            "parent": place.parent,
            "role": self._roles.get(server),
        }
        return {name: value for name, value in told.items() if value}

    async def server_of(self, channel: str) -> str | None:
        """Returns the server of a channel; None where it is unknown."""
        return (self._places.get(channel) or await self._asked(channel)).server

    async def _person(self, event: Fields, channel: str) -> dict[str, str]:
        """Returns whose direct messages a deleted one was among; others name their author."""
        if "author" in event or "user" in event:
            return {}
        try:
            person = await self._api.person_of(channel)
        except ChannelError:
            return {}
        return {"person": person} if person is not None else {}

    async def _ask_for_server(self, server: str) -> None:
        """Asks for a server of which another process was told when the session began."""
        try:
            told = await self._api.call("GET", "/guilds/{guild_id}", names={"guild_id": server})
        except ChannelError:
            return
        self._learn_server(Fields(told))

    async def _asked(self, channel: str) -> KnownChannel:
        """Asks for a channel that no event has told of; one that is not told has no name."""
        try:
            told = await self._api.call(
                "GET", "/channels/{channel_id}", names={"channel_id": channel}
            )
        except ChannelError:
            return KnownChannel("")
        return self._learn_channel(Fields(told)) or KnownChannel("")
