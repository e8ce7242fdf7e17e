"""Searches descriptions by their meaning, beside the words; never waits long for the embedder."""

import asyncio
import logging
from collections.abc import Callable, Sequence

from bot.domain.change import Change
from bot.domain.memory.described import fused
from bot.domain.memory.meaning import MOST_BYTES, first_bytes
from bot.domain.memory.passage import Hit
from bot.domain.money.budget import Cause
from bot.domain.talk.errors import EmbedderUnpaid, OtherSize, StewardError, StoreError
from bot.domain.tools.shelf import Shelf
from bot.flow.activities import InTime, persistently
from bot.flow.describing.filling import Filling
from bot.flow.describing.held_vectors import HeldVectors
from bot.flow.money.paid_embedder import PaidEmbedder
from bot.ports.clock import Clock
from bot.ports.journal import Journal

_LOG = logging.getLogger(__name__)

_SECONDS = 1.0
"""Seconds that the embedder has for a search; the model that asked took longer to write it."""

_REST_SECONDS = 30.0
"""Seconds without an attempt after one that had no answer in time."""

_LOOK_SECONDS = 5.0
"""Seconds between two looks for changed skills, and for vectors that other processes made."""

"""Seconds until the first and until any later attempt after a fault."""


class DescriptionSearch:
    """The port `Descriptions`; a fault of the embedder costs what it would have found alone."""

    def __init__(
        self,
        embedder: PaidEmbedder,
        held: HeldVectors,
        filling: Filling,
        helps: Callable[[], bool],
        journal: Journal,
        clock: Clock,
    ) -> None:
        """`helps` returns False once the memory has measured that meaning adds nothing here."""
        self._embedder = embedder
        self._held = held
        self._filling = filling
        self._helps = helps
        self._journal = journal
        self._clock = clock
        self._in_time = InTime(clock, _SECONDS, _REST_SECONDS)
        self._wanted = asyncio.Event()
        self._fault = ""

    def keep(self, shelf: Shelf) -> None:
        if self._filling.keep(shelf):
            self._wanted.set()

    async def search(
        self, words: str, shelf: Shelf, by_words: Sequence[str], cause: Cause
    ) -> Sequence[str]:
        if not self._helps() or self._in_time.rests or not self._held.can_search(shelf):
            return by_words
        try:
            hits = await self._in_time.done(self._near(words, shelf, cause))
        except TimeoutError:
            self._tell("the embedder gave no answer in time")
        except EmbedderUnpaid as fault:
            _LOG.info("skills and tools are found by words alone: %s", fault)
        except StewardError as fault:
            self._tell(str(fault))
        else:
            self._tell("")
            return fused(by_words, hits)
        self._wanted.set()
        return by_words

    async def run(self) -> None:
        await persistently(self._fill, self._tell, self._clock)

    async def _fill(self) -> None:
        self._wanted.clear()
        if await self._filling.catch_up():
            self._tell("")
        await self._clock.until(self._wanted, _LOOK_SECONDS)

    async def _near(self, words: str, shelf: Shelf, cause: Cause) -> Sequence[Hit]:
        paid = await self._embedder.embed([first_bytes(words, MOST_BYTES)], cause)
        try:
            if paid.records:
                await self._journal.commit(Change(paid.records))
        except StoreError as fault:
            self._filling.owe(paid.records)
            _LOG.warning("the cost of a search is not on record yet: %s", fault)
        except BaseException:
            # Under the same names, if they were written after all.
            self._filling.owe(paid.records)
            raise
        try:
            return await self._held.nearest(paid.vectors[0], shelf)
        except OtherSize:
            self._filling.start_anew(len(paid.vectors[0]))
            raise

    def _tell(self, fault: str) -> None:
        """Logs a fault once, and its end."""
        if fault and fault != self._fault:
            _LOG.warning("skills and tools are found by words alone: %s", fault)
        elif self._fault and not fault:
            _LOG.info("skills and tools are found by their meaning again")
        self._fault = fault
