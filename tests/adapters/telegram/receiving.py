"""The other end of a listener: what it hands over, and when."""

import asyncio
import json
from collections.abc import Callable, Sequence

from bot.domain.talk.errors import StoreBusy
from bot.domain.talk.message import RawUpdate
from tests.patience import PATIENCE


class Receiver:
    """Keeps what it accepts; `refuse` makes the next batches fail as a locked store does."""

    def __init__(self) -> None:
        self.updates: list[RawUpdate] = []
        self.refuse = 0
        self._changed = asyncio.Event()

    async def accept(self, batch: Sequence[RawUpdate]) -> None:
        if self.refuse:
            self.refuse -= 1
            raise StoreBusy("locked")
        self.updates += batch
        self._changed.set()

    async def has(self, count: int) -> list[RawUpdate]:
        async with asyncio.timeout(PATIENCE):
            while len(self.updates) < count:
                self._changed.clear()
                await self._changed.wait()
        return self.updates

    @property
    def texts(self) -> list[str]:
        return [json.loads(update.body)["message"]["text"] for update in self.updates]


async def until(condition: Callable[[], object]) -> None:
    """Lets the loop run, real HTTP included, until the condition holds."""
    async with asyncio.timeout(PATIENCE):
        while not condition():  # logs and sleepers announce themselves to nobody
            await asyncio.sleep(0)
