"""One connection to the gateway, held over breaks and troubles of any kind."""

import asyncio
import random

import aiohttp
import discord

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.events import Accept, Events, Sources
from bot.adapters.discord.faults import BAD_TOKEN, NEW_TOKEN, PORTAL, translated
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import (
    Garbled,
    GatewaySocket,
    ReconnectWebSocket,
    Session,
    connected,
)
from bot.adapters.discord.silence import Silence
from bot.adapters.platforms.outage import Outage
from bot.domain.talk.errors import ChannelDenied, ChannelError, FloodWait
from bot.ports.clock import Clock

_CONNECT_SECONDS = 60.0
_ANEW_SECONDS = (1.0, 5.0)
"""Discord wants a session to begin anew after a random time between these."""

_REFUSED_TOKEN, _REFUSED_INTENTS = 4004, 4014
_FINAL = {
    _REFUSED_TOKEN: Outage(BAD_TOKEN, helps=NEW_TOKEN, final=True),
    _REFUSED_INTENTS: Outage(
        "Discord keeps the words of messages from this bot",
        helps=f"Switch on “Message Content Intent” at {PORTAL} (your application, Bot), "
        "then restart.",
        final=True,
    ),
    4010: Outage(
        "Discord refuses a connection of this bot's", helps="Look at DISCORD_SHARDS.", final=True
    ),
    4011: Outage(
        "This bot is in more servers than one connection may serve",
        helps="Set DISCORD_SHARDS to one for every 2,500 servers, then restart.",
        final=True,
    ),
    4012: Outage("Discord has ended this version of its gateway", helps="Upgrade.", final=True),
    4013: Outage("Discord does not know what this bot asks for", helps="Upgrade.", final=True),
}


class Shard:
    """Brings the events of its share of the servers; shard 0 has the direct messages as well.

    `beginning` admits one new session at a time, as Discord wants it.
    """

    def __init__(self, number: int, api: DiscordApi, sources: Sources, clock: Clock) -> None:
        self._number = number
        self._api = api
        self._beginning = sources.beginning
        self._silence = Silence(clock)
        self.session = Session(f"discord:{api.own_id}:{number}/{api.shards}")
        self._events = Events(api, sources, number, self.session, clock)
        self._events.began = self._begin
        self._fruitful = False

    @property
    def reached(self) -> bool:
        return self._silence.reached

    async def listen(self, accept: Accept) -> Outage:
        """Runs until cancelled, or until only a person can help; then returns what is wrong.

        `accept` keeps a batch for good, or raises a StoreError.
        """
        storing = asyncio.create_task(self._events.run(accept), name="discord events")
        try:
            while True:
                trouble = await self._connection(storing)
                if trouble is not None and trouble.final:
                    return trouble
                await self._stored(storing)
                if trouble is not None:
                    await self._silence.wait_out(trouble)
        finally:
            storing.cancel()
            await asyncio.gather(storing, return_exceptions=True)

    async def _stored(self, storing: "asyncio.Task[None]") -> None:
        """Waits until all that came is stored, so that nothing of it is asked for again."""
        settled = asyncio.create_task(self._events.settled(), name="discord settled")
        try:
            await asyncio.wait((settled, storing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            settled.cancel()
        if storing.done():
            storing.result()

    async def _connection(self, storing: "asyncio.Task[None]") -> Outage | None:
        """Listens until the connection ends; returns the trouble, None to go on at once."""
        self._fruitful = False
        try:
            socket = await self._connected()
            try:
                while True:
                    if storing.done():
                        storing.result()
                    await socket.poll_event()
                    socket.sequence = self.session.sequence
            finally:
                if not socket.socket.closed:
                    await socket.close()
        except ReconnectWebSocket as again:
            return self._again(resume=again.resume)
        except ChannelError as fault:
            return _denied(fault)
        except (aiohttp.ClientError, discord.DiscordException, OSError, TimeoutError) as error:
            # The address of the session may be gone; the session may not.
            self.session.gateway = ""
            return _broken(error)
        except (Garbled, KeyError, TypeError, ValueError, AttributeError) as error:
            # The address itself may be what nobody can read.
            self.session.gateway = ""
            return Outage(f"Discord sent a payload of another form ({type(error).__name__})")

    async def _connected(self) -> GatewaySocket:
        """Goes on with the session; a new one begins when no other shard begins one."""
        if self.session.id:
            return await self._opened(self.session.gateway or await self._gateway())
        async with self._beginning.turn():
            return await self._opened(await self._gateway())

    async def _opened(self, gateway: str) -> GatewaySocket:
        async with asyncio.timeout(_CONNECT_SECONDS):
            return await connected(
                self._api.client, gateway, self.session, self._events, self._number
            )

    def _begin(self) -> None:
        self._fruitful = True
        self._silence.over()

    def _again(self, *, resume: bool) -> Outage | None:
        if resume and self.session.id:
            # One that ends before it began would end so at once the next time.
            return None if self._fruitful else Outage("Discord ends each connection")
        self.session.forget()
        return Outage("Discord has ended the session", random.uniform(*_ANEW_SECONDS))

    async def _gateway(self) -> str:
        """Returns the address of the gateway; raises FloodWait while no session may begin."""
        told = Fields(await self._api.call("GET", "/gateway/bot"))
        starts = told.inner("session_start_limit")
        if starts.number("remaining") == 0:
            raise FloodWait((starts.number("reset_after") or 60_000) / 1000)
        return told.text("url") or ""


def _denied(fault: ChannelError) -> Outage:
    match fault:
        case ChannelDenied():
            return _FINAL[_REFUSED_TOKEN]
        case FloodWait():
            return Outage("Discord asks for a pause", fault.retry_after)
        case _:
            return Outage(str(fault))


def _broken(error: Exception) -> Outage:
    if isinstance(error, discord.ConnectionClosed):
        return _FINAL.get(error.code) or Outage(f"Discord ended the connection ({error.code})")
    return Outage(str(translated(error)))
