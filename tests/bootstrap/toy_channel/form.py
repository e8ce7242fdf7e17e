"""The form of the toy channel."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.bootstrap.channel_form import Accept, Host, OpenChannel
from bot.doctor import Check, Finding
from bot.ports.clock import Clock
from bot.settings import Settings
from tests.bootstrap.toy_channel.channel import ToyChannel
from tests.bootstrap.toy_channel.platform import ToyPlatform


@dataclass(frozen=True, slots=True)
class ToyForm:
    """The toy platform; `lacks` names the setting it is not served without."""

    platform: ToyPlatform
    lacks: str = ""
    title: str = "The toy"

    def missing(self, settings: Settings) -> str:
        return self.lacks

    @asynccontextmanager
    async def opened(self, settings: Settings, clock: Clock) -> AsyncGenerator[OpenChannel]:
        self.platform.open = True
        try:
            yield OpenChannel(ToyChannel(self.platform), self._listen, greet=self._greet)
        finally:
            self.platform.open = False

    def checks(self, settings: Settings) -> Sequence[Check | Finding]:
        return (Check(self.platform.name, self._probe, "Buy a new toy."),)

    async def _listen(self, accept: Accept) -> None:
        while (update := await self.platform.next_update()) is not None:
            await accept((update,))

    async def _greet(self, host: Host) -> None:
        code = "" if await host.owned() else await host.pairing_code()
        await self.platform.greeted(host.commands, code)

    async def _probe(self) -> str:
        if self.platform.broken is not None:
            raise self.platform.broken
        return "The toy moves"
