"""Asks Discord for the owner and the members of a server; no answer is kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bot.adapters.discord.addresses import channel_in
from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.fields import Fields
from bot.domain.errors import ChannelUnreachable, ContentRefused, RecipientGone
from bot.domain.message import Address
from bot.domain.person import Sender

_PATIENCE_SECONDS = 5.0
"""Short, because a command waits for the answer, and the chat's updates behind it wait, too."""


class DiscordGroups:
    """The port `Groups`; the owner of a channel is the owner of its server."""

    def __init__(self, api: DiscordApi, patience: float = _PATIENCE_SECONDS) -> None:
        self._api = api
        self._patience = patience

    async def owned_by(self, group: Address, sender: Sender) -> bool:
        async with _patient(self._patience):
            server = await self._server(group)
            told = Fields(
                await self._api.call("GET", "/guilds/{guild_id}", names={"guild_id": server})
            )
        return told.id("owner_id") == sender.user_id

    async def includes(self, group: Address, sender: Sender) -> bool:
        path = "/guilds/{guild_id}/members/{user_id}"
        try:
            async with _patient(self._patience):
                server = await self._server(group)
                await self._api.call(
                    "GET", path, names={"guild_id": server, "user_id": sender.user_id}
                )
        except (ContentRefused, RecipientGone):
            # Discord refuses so when the person is not there.
            return False
        return True

    async def _server(self, group: Address) -> str:
        channel = channel_in(group)
        told = await self._api.call("GET", "/channels/{channel_id}", names={"channel_id": channel})
        server = Fields(told).id("guild_id")
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
