"""Asks Discord about the bot's own account, and what it may do."""

from collections.abc import Sequence

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.faults import PORTAL
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.rights import NEEDED, rights_of
from bot.domain.talk.errors import ChannelDenied, ChannelError
from bot.domain.value import frozen
from bot.ports.clock import Clock

_CONTENT_INTENT = (1 << 18) | (1 << 19)
"""Flags of an application that may read the words of messages: as a large bot, or as a small."""

_LONGEST_NAME = 60
_FIRST_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two questions for the bot's name."""

INTENT_OFF = "Discord keeps the words of messages in servers from this bot."
INTENT_ON = f"Switch on “Message Content Intent” at {PORTAL} (your application, Bot)."


@frozen
class Server:
    """A server that the bot is in, and the needed rights that it lacks there."""

    name: str
    lacks: tuple[str, ...]


class DiscordAccount:
    def __init__(self, api: DiscordApi) -> None:
        self._api = api

    async def introduced(self, clock: Clock) -> str:
        """Returns the bot's name once Discord tells it; raises ChannelDenied for a bad token."""
        pause = _FIRST_PAUSE
        while True:
            try:
                return await self.check()
            except ChannelDenied:
                raise
            except ChannelError:
                # The listener meets the same trouble, and tells it.
                await clock.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)

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

    async def servers(self) -> Sequence[Server]:
        """Returns the servers that the bot is in, at most 200."""
        told = await self._api.call("GET", "/users/@me/guilds")
        return [_server(Fields(one)) for one in told] if isinstance(told, list) else ()

    async def invitation(self) -> str:
        """Returns the address that brings the bot into a server, with the least rights."""
        rights = sum(NEEDED.values())
        return (
            f"https://discord.com/oauth2/authorize?client_id={await self._api.application()}"
            f"&scope=bot+applications.commands&permissions={rights}"
        )


def _server(told: Fields) -> Server:
    rights = rights_of(told)
    lacks = tuple(name for name, bit in NEEDED.items() if not rights & bit)
    return Server(told.line("name", _LONGEST_NAME), lacks)
