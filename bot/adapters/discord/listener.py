"""Listens to the gateway for as long as the program runs, with one connection or several."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import NoReturn

from bot.adapters.discord.api import DiscordApi
from bot.adapters.discord.events import Accept, Sources
from bot.adapters.discord.interactions import Interactions
from bot.adapters.discord.known import KnownPositions
from bot.adapters.discord.known_channels import KnownChannels
from bot.adapters.discord.missed import Missed
from bot.adapters.discord.shard import Shard
from bot.adapters.discord.silence import Beginning, Silence
from bot.adapters.discord.stays import Stays
from bot.domain.talk.errors import StoreError
from bot.ports.clock import Clock

_SESSIONS_LAST = timedelta(days=1)
"""Discord keeps a session for minutes; only a quiet one has an older position."""


class DiscordListener:
    """Brings events to the inbox; a token or an intent that is refused ends Discord alone."""

    def __init__(self, api: DiscordApi, clock: Clock) -> None:
        self._clock = clock
        self._known: KnownPositions | None = None
        self._silence = Silence(clock)
        self.interactions = Interactions(api)
        places = KnownChannels(api)
        self.stays = Stays(api, places, clock)
        self.missed = Missed(api, places, self.stays)
        sources = Sources(places, self.interactions, self.missed, self.stays, Beginning(clock))
        self._shards = [Shard(number, api, sources, clock) for number in range(api.shards)]

    @property
    def reached(self) -> bool:
        return all(shard.reached for shard in self._shards)

    async def prepare(self, known: KnownPositions) -> None:
        """Takes what the program remembers."""
        self._known = known
        await self.missed.prepare(known)
        await self.stays.prepare(known)

    async def listen(self, accept: Accept) -> NoReturn:
        """Runs until cancelled. `accept` keeps a batch for good, or raises a StoreError.

        Sessions that another process began are continued.
        """
        await self._take_up()
        try:
            async with asyncio.TaskGroup() as connections:
                for shard in self._shards:
                    connections.create_task(self._held(shard, accept), name="discord shard")
        finally:
            await self.interactions.close()
        # The other platforms go on; the run does not end with this one.
        while True:
            await asyncio.Event().wait()

    async def _take_up(self) -> None:
        known, since = self._known, self._clock.now() - _SESSIONS_LAST
        if known is None:
            return
        # Without a position a session begins anew, and asks for what was missed.
        with suppress(StoreError):
            for shard in self._shards:
                shard.session.go_on(await known.reached(shard.session.stream, since))

    async def _held(self, shard: Shard, accept: Accept) -> None:
        # What a person has to do is the same for every connection, and told once.
        self._silence.tell(await shard.listen(accept))
