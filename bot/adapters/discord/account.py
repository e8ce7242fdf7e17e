"""Asks Discord about the bot's own account, and what it may do."""

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.faults import PORTAL
from bot.adapters.discord.fields import Fields
from bot.domain.errors import ChannelError

_CONTENT_INTENT = (1 << 18) | (1 << 19)
"""Flags of an application that may read the words of messages: as a large bot, or as a small."""

_RIGHTS = {
    "see channels": 1 << 10,
    "send messages": 1 << 11,
    "send messages in threads": 1 << 38,
    "attach files": 1 << 15,
    "read the message history": 1 << 16,
    "add reactions": 1 << 6,
}
"""The least rights with which everything works in a server."""

INTENT_OFF = "Discord keeps the words of messages in servers from this bot."
INTENT_ON = f"Switch on “Message Content Intent” at {PORTAL} (your application, Bot)."


class DiscordAccount:
    def __init__(self, api: DiscordApi) -> None:
        self._api = api

    async def check(self) -> str:
        """Returns the bot's name, as proof that the token works; raises ChannelError."""
        account = await self._api.log_in()
        name = account.line("username", 80)
        if not name:
            raise ChannelError("Discord did not tell the bot's name")
        return name

    async def reads_words(self) -> bool:
        """Tells if the intent is on without which a server's messages come without their words."""
        told = Fields(await self._api.call("GET", "/applications/@me"))
        return bool((told.number("flags") or 0) & _CONTENT_INTENT)

    async def servers(self) -> int:
        """Returns the number of servers that the bot is in, at most 200."""
        told = await self._api.call("GET", "/users/@me/guilds")
        return len(told) if isinstance(told, list) else 0

    @property
    def invitation(self) -> str:
        """Returns the address that brings the bot into a server, with the least rights."""
        rights = sum(_RIGHTS.values())
        return (
            f"https://discord.com/oauth2/authorize?client_id={self._api.own_id}"
            f"&scope=bot+applications.commands&permissions={rights}"
        )
