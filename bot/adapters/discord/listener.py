"""Listens to the gateway for as long as the program runs, over breaks and troubles of any kind."""

import asyncio
import random
from typing import NoReturn

import aiohttp
import discord

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.events import Accept, Events
from bot.adapters.discord.faults import BAD_TOKEN, NEW_TOKEN, PORTAL, translated
from bot.adapters.discord.fields import Fields
from bot.adapters.discord.gateway import Garbled, ReconnectWebSocket, Session, connected
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.missed import Missed
from bot.adapters.discord.places import Places
from bot.adapters.discord.silence import Outage, Silence
from bot.domain.errors import ChannelDenied, ChannelError, FloodWait
from bot.ports.clock import Clock

_CONNECT_SECONDS = 60.0
_REFUSED_TOKEN, _REFUSED_INTENTS = 4004, 4014
_FINAL = {
    _REFUSED_TOKEN: Outage(BAD_TOKEN, helps=NEW_TOKEN, final=True),
    _REFUSED_INTENTS: Outage(
        "Discord keeps the words of messages from this bot",
        helps=f"Switch on “Message Content Intent” at {PORTAL} (your application, Bot), "
        "then restart.",
        final=True,
    ),
    4010: Outage("Discord refuses this bot’s shard", helps="Restart.", final=True),
    4011: Outage(
        "This bot is in more servers than one connection may serve",
        helps="Steward serves up to 2,500 servers.",
        final=True,
    ),
    4012: Outage("Discord has ended this version of its gateway", helps="Upgrade.", final=True),
    4013: Outage("Discord does not know what this bot asks for", helps="Upgrade.", final=True),
}


class DiscordListener:
    """Brings events to the inbox; a token or an intent that is refused ends Discord alone."""

    def __init__(self, api: DiscordApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock
        self._silence = Silence(clock)
        self._session = Session()
        self.interactions = Interactions(api)
        places = Places(api)
        self.missed = Missed(api, places)
        self._events = Events(api, places, self.interactions, self.missed, self._session, clock)
        self._events.began = self._begin
        self._fruitful = False

    async def listen(self, accept: Accept) -> NoReturn:
        """Runs until cancelled. `accept` keeps a batch for good, or raises a StoreError."""
        storing = asyncio.create_task(self._events.run(accept), name="discord events")
        try:
            while True:
                trouble = await self._connection(storing)
                if trouble is not None and trouble.final:
                    self._silence.tell(trouble)
                    # The other platforms go on; the run does not end with this one.
                    await asyncio.Event().wait()
                await self._stored(storing)
                if trouble is not None:
                    await self._silence.wait_out(trouble)
        finally:
            storing.cancel()
            await asyncio.gather(storing, return_exceptions=True)
            await self.interactions.close()

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
            gateway = self._session.gateway or await self._gateway()
            async with asyncio.timeout(_CONNECT_SECONDS):
                socket = await connected(self._api.client, gateway, self._session, self._events)
            try:
                while True:
                    if storing.done():
                        storing.result()
                    await socket.poll_event()
                    socket.sequence = self._session.sequence
            finally:
                if not socket.socket.closed:
                    await socket.close()
        except ReconnectWebSocket as again:
            return self._again(resume=again.resume)
        except ChannelError as fault:
            return _denied(fault)
        except (aiohttp.ClientError, discord.DiscordException, OSError, TimeoutError) as error:
            # The address of the session may be gone; the session may not.
            self._session.gateway = ""
            return _broken(error)
        except (Garbled, KeyError, TypeError, ValueError, AttributeError) as error:
            return Outage(f"Discord sent a payload of another form ({type(error).__name__})")

    def _begin(self) -> None:
        self._fruitful = True
        self._silence.over()

    def _again(self, *, resume: bool) -> Outage | None:
        if resume and self._session.id:
            # One that ends before it began would end so at once the next time.
            return None if self._fruitful else Outage("Discord ends each connection")
        self._session.forget()
        # Discord wants a new session to begin after one to five seconds.
        return Outage("Discord has ended the session", random.uniform(1.0, 5.0))

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
