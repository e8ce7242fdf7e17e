"""Connects one bot with Discord's HTTP API: opened once, shared by channel, listener and files."""

import asyncio
import base64
import binascii
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Self

import aiohttp
import discord
from discord.http import Route

from bot.adapters.certificates import certificates
from bot.adapters.discord.faults import translated
from bot.adapters.discord.fields import Fields
from bot.adapters.proxy import proxy_for
from bot.domain.talk.errors import ChannelUnreachable

PUBLIC_URL = "https://discord.com/api/v10"
INTENTS = discord.Intents(
    guilds=True,
    guild_messages=True,
    dm_messages=True,
    message_content=True,
    guild_reactions=True,
    dm_reactions=True,
)
"""The kinds of events that are asked for; people have to switch on the content of messages."""

_SLACK_SECONDS = 30.0
"""The library itself waits up to 25 s for a service that has trouble."""

_UPLOAD_SECONDS = 300.0
_LONGEST_WAIT = 30.0
_MOST_KNOWN = 10_000


class DiscordApi:
    """Paths are below `url`; nothing is opened before `async with`. `own_id` is the bot's number,
    `shards` how many connections to the gateway share its servers.

    Each call waits by itself for the bucket of its route, and raises FloodWait when that would take
    more than half a minute.
    """

    def __init__(
        self, token: str, url: str = PUBLIC_URL, send_seconds: float = 30.0, shards: int = 1
    ) -> None:
        self.shards = shards
        self._token = token
        self.own_id = _bot_of(token)
        self._url = url.rstrip("/")
        self._seconds = send_seconds + _SLACK_SECONDS
        self._application = ""
        self._channels: dict[str, str] = {}
        self._people: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        # The library logs at INFO what a person has no use for.
        logging.getLogger("discord").setLevel(logging.ERROR)
        # The library builds every address from this, for all clients of a process.
        Route.BASE = self._url
        proxy, login = proxy_for(self._url)
        self.client = discord.Client(
            intents=INTENTS,
            shard_count=self.shards,
            max_messages=None,
            max_ratelimit_timeout=_LONGEST_WAIT,
            connector=_connector(),
            proxy=proxy,
            proxy_auth=login,
        )
        # This gives the client its loop, as logging in through it would.
        await self.client._async_setup_hook()
        self._account: Fields | None = None
        self._logging_in = asyncio.Lock()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()

    async def log_in(self) -> Fields:
        """Opens the connection and returns the bot's own account; raises ChannelError."""
        async with self._translating():
            return await self._connected()

    async def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        form: Sequence[dict[str, Any]] | None = None,
        names: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> Any:
        """Makes one call, bounded in time; every fault is a ChannelError.

        `names` fill the gaps of the path. `form` sends parts instead of a JSON body.
        """
        async with self._translating(upload=form is not None):
            await self._connected()
            how: dict[str, Any] = {} if body is None else {"json": body}
            if query is not None:
                how["params"] = query
            route = Route(method, path, **(names or {}))
            return await self.client.http.request(route, form=form, **how)

    async def _connected(self) -> Fields:
        """Opens the connection before the first call; returns the bot's account as it was then."""
        async with self._logging_in:
            if self._account is None:
                try:
                    self._account = Fields(await self.client.http.static_login(self._token))
                except BaseException:
                    await self.client.http.close()
                    self.client.http.connector = _connector()
                    raise
            return self._account

    @asynccontextmanager
    async def _translating(self, *, upload: bool = False) -> AsyncIterator[None]:
        try:
            async with asyncio.timeout(_UPLOAD_SECONDS if upload else self._seconds):
                yield
        except (discord.DiscordException, aiohttp.ClientError, TimeoutError, OSError) as error:
            raise translated(error) from None
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            # The library reads a result without checking that it is of the promised type.
            told = f"Discord sent a result of another form ({type(error).__name__})"
            raise ChannelUnreachable(told, maybe_done=True) from None

    async def application(self) -> str:
        """Returns the number of the application; that of an old bot differs from the bot's own."""
        if not self._application:
            number = Fields(await self.call("GET", "/applications/@me")).id("id")
            if number is None:
                told = "Discord did not tell the application's number"
                raise ChannelUnreachable(told, maybe_done=False)
            self._application = number
        return self._application

    def belongs_to(self, application: str | None) -> None:
        """Notes the application of the bot, as a new session tells it."""
        self._application = application or self._application

    async def channel_of(self, person: str) -> str:
        """Returns the channel of direct messages with a person; Discord opens it if need be."""
        known = self._channels.get(person)
        if known is not None:
            return known
        opened = await self.call("POST", "/users/@me/channels", {"recipient_id": person})
        channel = Fields(opened).id("id")
        if channel is None:
            raise ChannelUnreachable("Discord opened a channel without a number", maybe_done=True)
        self.know(person, channel)
        return channel

    async def person_of(self, channel: str) -> str | None:
        """Returns the person of a channel of direct messages; None for any other channel."""
        known = self._people.get(channel)
        if known is not None:
            return known
        told = Fields(
            await self.call("GET", "/channels/{channel_id}", names={"channel_id": channel})
        )
        person = next((one.id("id") for one in told.items("recipients")), None)
        if person is not None:
            self.know(person, channel)
        return person

    def know(self, person: str, channel: str) -> None:
        """Notes the channel of direct messages with a person."""
        if len(self._channels) >= _MOST_KNOWN:
            self._channels.clear()
            self._people.clear()
        self._channels[person] = channel
        self._people[channel] = person


def _bot_of(token: str) -> str:
    """Returns the number of the bot, with which every token begins; empty for another word."""
    head = token.partition(".")[0]
    try:
        number = base64.b64decode(head + "=" * (-len(head) % 4), altchars=b"-_").decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
    return number if number.isdecimal() else ""


def _connector() -> aiohttp.TCPConnector:
    return aiohttp.TCPConnector(limit=0, ssl=certificates())
