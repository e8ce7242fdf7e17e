"""Listens to one channel, and greets there; on some platforms one process of several does."""

import asyncio

from bot.bootstrap.channel_form import Host, OpenChannel
from bot.bootstrap.contained_channel import ChannelFaults
from bot.bootstrap.opening import Running


class Listener:
    """The listening to one channel in this process."""

    def __init__(
        self, channel: OpenChannel, running: Running, host: Host, faults: ChannelFaults
    ) -> None:
        self.name = channel.channel.name
        self._channel = channel
        self._running = running
        self._host = host
        self._faults = faults
        self._listens = not channel.alone
        self._greeting: asyncio.Task[None] | None = None

    def reached(self) -> bool:
        """Returns False while the platform is not reached; one that stands by does not count."""
        return self.state() is not False

    def state(self) -> bool | None:
        """Returns if the platform is reached; None while another process listens there."""
        return self._channel.reached() if self._listens else None

    async def listen(self) -> None:
        """Listens until cancelled, or until a person leaves."""
        try:
            if not self._channel.alone:
                await self._listened()
                return
            await self._running.store.posts.keep(f"listening to {self.name}", self._as_the_only_one)
        finally:
            if self._greeting is not None:
                self._greeting.cancel()
                await asyncio.wait([self._greeting])

    async def _as_the_only_one(self) -> None:
        self._listens = True
        try:
            await self._listened()
        finally:
            self._listens = False

    async def _listened(self) -> None:
        intake = self._running.application.parts.intake
        channel, name = self._channel, self.name
        # Listening comes first: nothing may stand before the first poll.
        listening = asyncio.create_task(
            channel.listen(lambda updates: intake.accept(name, updates)), name=f"{name} listening"
        )
        if self._greeting is None or _failed(self._greeting):
            # Once: a connection to the database that breaks meanwhile does not end it.
            greeting = self._faults.outlived(name, self._channel.greet(self._host))
            self._greeting = asyncio.create_task(greeting, name=f"{name} greeting")
        try:
            await asyncio.wait([listening])
            listening.result()
        finally:
            listening.cancel()
            await asyncio.wait([listening])


def _failed(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is not None
