"""Gives the indexes what they are owed, and reads the talk from before the memory once."""

import asyncio
import logging

from bot.domain.change import Change, KeepPassage, ReadPast
from bot.domain.talk.errors import Conflict, NoSuchChat, StoreError
from bot.flow.memory.passage_making import kept_of_past
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.memory import Index, Memory, Past

_LOG = logging.getLogger(__name__)

_BATCH = 50
"""Passages that are indexed in one transaction."""

_PAUSE_SECONDS = 0.02
"""Seconds between two batches, in which others can write."""

_LOOK_SECONDS = 20.0
"""Seconds between two looks for passages that are owed again."""

_AGAIN_SECONDS = 60.0
"""Seconds until a fault of the store is tried again."""


class Indexing:
    """Works in the background; whatever it has not done is owed, and the next start does it."""

    def __init__(self, memory: Memory, words: Index, journal: Journal, clock: Clock) -> None:
        self._memory = memory
        self._words = words
        self._journal = journal
        self._clock = clock
        self._owed = asyncio.Event()
        self._past_is_read = False

    def wake(self) -> None:
        """Notes that a passage was kept."""
        self._owed.set()

    async def run(self) -> None:
        """Indexes until it is cancelled."""
        while True:
            self._owed.clear()
            try:
                await self.catch_up()
            except (StoreError, Conflict, NoSuchChat) as fault:
                _LOG.warning("the memory has to wait: %s", fault)
                await self._clock.until(self._owed, _AGAIN_SECONDS)
            else:
                # A broken index is made anew by whoever meets it, and is owed everything then.
                await self._clock.until(self._owed, _LOOK_SECONDS)

    async def catch_up(self) -> None:
        """Indexes everything that is owed, and everything from before the memory."""
        if self._past_is_read:
            await self._index()
            return
        # An index that is missing, or has the stems of another version, is owed everything.
        await self._words.take_in(())
        await self._index()
        while (past := await self._memory.past()) is not None:
            await self._read(past)
            await self._index()
        if (await self._memory.condition()).past_open:
            await self._journal.commit(Change((ReadPast("", ended=True),)))
        self._past_is_read = True

    async def _index(self) -> None:
        while owed := await self._memory.owed(_BATCH):
            await self._words.take_in(owed)
            if len(owed) < _BATCH:
                # Whoever keeps another passage wakes the index.
                return
            await self._clock.sleep(_PAUSE_SECONDS)

    async def _read(self, past: Past) -> None:
        """Keeps the passages of one conversation, and notes in the same change that it is read."""
        found = []
        if past.turns:
            entries = await self._journal.entries(past.conversation)
            found = await asyncio.to_thread(kept_of_past, past.chat, past.turns, entries)
        writes = (*map(KeepPassage, found), ReadPast(past.conversation))
        await self._journal.commit(Change(writes))
