"""The life of the flow: what an earlier life left is taken up, then it runs until cancelled."""

import asyncio
import logging

from bot.domain.errors import StoreError
from bot.flow.composition import Composition

_LOG = logging.getLogger(__name__)

SWEEP_SECONDS = 20.0
"""How often overdue cards are looked for."""


class Application:
    """Runs the parts of a composition, and ends them together."""

    def __init__(self, parts: Composition) -> None:
        self.parts = parts

    async def resume(self) -> None:
        """Takes up what an earlier life of the program left: turns, messages, deliveries."""
        await self.parts.card_ending.sweep()
        for chat in await self.parts.store.journal.chats_with_work():
            self.parts.lanes.wake(chat)
        await self.parts.delivery.resume()

    async def run(self) -> None:
        """Works for as long as it is not cancelled."""
        async with (
            self.parts.delivery,
            self.parts.reactions,
            self.parts.acknowledging,
            self.parts.placing,
            self.parts.lanes,
            asyncio.TaskGroup() as group,
        ):
            group.create_task(self._take_in(), name="intake")
            group.create_task(self._sweep(), name="sweep")
            await self.resume()

    async def _take_in(self) -> None:
        await self.parts.world.ready()
        await self.parts.intake.run()

    async def _sweep(self) -> None:
        while True:
            await self.parts.world.clock.sleep(SWEEP_SECONDS)
            try:
                await self.parts.card_ending.sweep()
            except StoreError as fault:
                _LOG.warning("overdue cards have to wait: %s", fault)
