"""Asks Discord how the bot stands in a place: gone, there, or there without a voice."""

from collections.abc import Mapping
from typing import Any

from bot.adapters.discord.addresses import channel_in
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.rights import NEEDED, rights_in, rights_of
from bot.domain.talk.errors import ContentRefused, RecipientGone
from bot.domain.talk.message import Address, Presence

_BOT_ADDED = "28"
_SEND = NEEDED["send messages"]
_REFUSALS = (ContentRefused, RecipientGone)


class Presences:
    """Asks for each thing once: it is made for one look at many places."""

    def __init__(self, api: DiscordApi, places: KnownChannels) -> None:
        self._api = api
        self._places = places
        self._gone: set[str] = set()
        self._own: dict[str, tuple[int, tuple[str, ...]]] = {}

    def has_no_channel(self, place: Address) -> bool:
        """Tells of a thread that its channel is gone, with which it is left."""
        return place.thread is not None and place.chat in self._gone

    async def at(self, place: Address) -> Presence:
        """Returns how the bot stands in a channel or thread; raises ChannelError."""
        try:
            channel = await self._got("/channels/{channel_id}", channel_id=channel_in(place))
        except _REFUSALS:
            if place.thread is not None and await self._can_open(place):
                return Presence.MEMBER
            if place.thread is None:
                self._gone.add(place.chat)
            return Presence.GONE
        if place.thread is not None:
            locked = channel.inner("thread_metadata").flag("locked")
        else:
            locked = not await self._may_write(channel)
        return Presence.MUTED if locked else Presence.MEMBER

    async def _can_open(self, place: Address) -> bool:
        """Tells if the message still stands that opens the thread, or opened it."""
        path, names = "/channels/{channel_id}/messages/{message_id}", {"message_id": place.thread}
        try:
            await self._got(path, channel_id=place.chat[1:], **names)
        except _REFUSALS:
            return False
        return True

    async def _may_write(self, channel: Fields) -> bool:
        server = channel.id("guild_id")
        if server is None:
            return True
        if server not in self._own:
            try:
                self._own[server] = await self._own_in(server)
            except _REFUSALS:
                # It is about to be left.
                return True
        rights, numbers = self._own[server]
        return bool(rights_in(channel, rights, numbers) & _SEND)

    async def _own_in(self, server: str) -> tuple[int, tuple[str, ...]]:
        """Returns the bot's rights in a server, and the numbers whose rules hold for it there."""
        before = {"after": str(int(server) - 1), "limit": "1"}
        told = await self._api.call("GET", "/users/@me/guilds", query=before)
        servers = [Fields(one) for one in (told if isinstance(told, list) else ())]
        given = next((one for one in servers if one.id("id") == server), None)
        bot = self._api.own_id
        path = "/guilds/{guild_id}/members/{user_id}"
        member = await self._got(path, guild_id=server, user_id=bot)
        rights = _SEND if given is None else rights_of(given)
        return rights, (server, *member.words("roles"), bot)

    async def inviter(self, server: str) -> Mapping[str, Any] | None:
        """Returns the account that added the bot; None where Discord does not tell it."""
        path, query = "/guilds/{guild_id}/audit-logs", {"action_type": _BOT_ADDED, "limit": "10"}
        try:
            told = Fields(
                await self._api.call("GET", path, names={"guild_id": server}, query=query)
            )
        except _REFUSALS:
            # The right to read this log is none of those that the bot asks for.
            return None
        lines = told.items("audit_log_entries")
        who = next((o.id("user_id") for o in lines if o.id("target_id") == self._api.own_id), None)
        found = next((one for one in told.items("users") if one.id("id") == who), None)
        return None if found is None else {**found.values}

    async def _got(self, path: str, **names: Any) -> Fields:
        return Fields(await self._api.call("GET", path, names=names))
