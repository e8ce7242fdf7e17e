"""Asks Discord for the owner and the members of a server; no answer is kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.rights import OPEN_THREADS, manages, rights_in, rights_of
from bot.domain.talk.errors import ChannelUnreachable, ContentRefused, RecipientGone
from bot.domain.talk.message import Address
from bot.domain.talk.person import Sender

_PATIENCE_SECONDS = 5.0
"""Short, because a command waits for the answer, and the chat's updates behind it wait, too."""

_WITH_THREADS = (0, 5)
"""Types of channels whose messages can open threads: text and announcements."""


class DiscordGroups:
    """The port `Groups`; the owner of a channel is the owner of its server."""

    def __init__(self, api: DiscordApi, patience: float = _PATIENCE_SECONDS) -> None:
        self._api = api
        self._patience = patience

    async def owned_by(self, group: Address, sender: Sender) -> bool:
        async with _patient(self._patience):
            told = await self._guild(await self._server(group))
        return told.id("owner_id") == sender.user_id

    async def run_by(self, group: Address, sender: Sender) -> bool:
        try:
            async with _patient(self._patience):
                server = await self._server(group)
                told = await self._guild(server)
                if told.id("owner_id") == sender.user_id:
                    return True
                member = await self._member(server, sender.user_id)
        except ContentRefused:
            # Discord refuses so when the person is not there.
            return False
        own = {server, *member.words("roles")}
        return any(manages(role) for role in told.items("roles") if role.id("id") in own)

    async def leave(self, group: Address) -> None:
        """Leaves the server, by its own number or that of one of its channels."""
        number = group.chat.removeprefix("-")
        try:
            async with _patient(self._patience):
                # An invitation is told with the server's number, before any channel is known.
                try:
                    await self._left(number)
                except (ContentRefused, RecipientGone):
                    await self._left(await self._server(group))
        except (ContentRefused, RecipientGone):
            # Discord refuses so when the bot is there no longer.
            return

    async def _left(self, server: str) -> None:
        names = {"guild_id": server}
        await self._api.call("DELETE", "/users/@me/guilds/{guild_id}", names=names)

    async def includes(self, group: Address, sender: Sender) -> bool:
        try:
            async with _patient(self._patience):
                await self._member(await self._server(group), sender.user_id)
        except (ContentRefused, RecipientGone):
            # Discord refuses so when the person is not there.
            return False
        return True

    async def may_open_threads(self, group: Address) -> bool:
        async with _patient(self._patience):
            channel = await self._channel(group)
            if channel.number("type") not in _WITH_THREADS:
                return False
            server, bot = _server_of(channel), self._api.own_id
            before = {"after": str(int(server) - 1), "limit": "1"}
            servers = await self._api.call("GET", "/users/@me/guilds", query=before)
            member = await self._member(server, bot)
        given = next((Fields(one) for one in servers if Fields(one).id("id") == server), None)
        if given is None:
            return False
        own = (server, *member.words("roles"), bot)
        return bool(rights_in(channel, rights_of(given), own) & OPEN_THREADS)

    async def _guild(self, server: str) -> Fields:
        names = {"guild_id": server}
        return Fields(await self._api.call("GET", "/guilds/{guild_id}", names=names))

    async def _member(self, server: str, person: str) -> Fields:
        path, names = "/guilds/{guild_id}/members/{user_id}", {"guild_id": server}
        return Fields(await self._api.call("GET", path, names=names | {"user_id": person}))

    async def _server(self, group: Address) -> str:
        return _server_of(await self._channel(group))

    async def _channel(self, group: Address) -> Fields:
        # The channel above a thread is asked for: the thread may not be opened yet.
        names = {"channel_id": group.chat.removeprefix("-")}
        return Fields(await self._api.call("GET", "/channels/{channel_id}", names=names))


def _server_of(channel: Fields) -> str:
    server = channel.id("guild_id")
    if server is None:
        raise RecipientGone("the channel belongs to no server")
    return server


@asynccontextmanager
async def _patient(seconds: float) -> AsyncIterator[None]:
    """Ends a wait for Discord after some seconds with the fault of a channel."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise ChannelUnreachable("Discord did not answer in time", maybe_done=False) from None
