"""Memory by meaning as the settings want it: its embedder and its index."""

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.adapters.chroma.vectors import ChromaVectors
from bot.adapters.sql.stemmer import stem
from bot.adapters.sql.store import Store
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.parts import MEANING_FOLDER, embedder, vectors
from bot.domain.clock.zones import Zones
from bot.domain.talk.errors import VectorsAway, VectorsLost
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.weighing import Weighing
from bot.flow.money.paid_embedder import PaidEmbedder
from bot.flow.money.till import Till
from bot.settings import Settings

_LOG = logging.getLogger(__name__)


def till_of(settings: Settings, store: Store) -> Till:
    """Returns the till of a run."""
    zones = Zones(settings.timezone)
    return Till(store.ledger, store.journal, store.people, zones, SystemClock(), settings.budgets)


@asynccontextmanager
async def opened_meaning(
    settings: Settings, store: Store, till: Till, held: ChromaVectors | None = None
) -> AsyncGenerator[Meaning | None]:
    """Yields the search by meaning, which loads nothing yet; None when no embedder is set.

    `held` is used instead of the index of the settings. Both are closed at the end.
    """
    embeds = embedder(settings)
    if embeds is None:
        yield None
        return
    index = held or vectors(settings)
    try:
        yield Meaning(
            PaidEmbedder(embeds, till),
            index,
            store.meant,
            store.meaning_debts,
            store.journal,
            SystemClock(),
            Weighing(store.weights, stem),
        )
    finally:
        await index.close()
        await embeds.close()


async def drop_unused(settings: Settings, store: Store) -> None:
    """Deletes the folder of an index that no embedder uses any more.

    Nothing could be erased in it without loading its library. It is made anew from the memory.
    """
    folder = settings.home / MEANING_FOLDER
    if settings.meaning.model is not None or settings.meaning.index_url is not None:
        return
    if await store.meant.begun() is not None:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        await store.meant.begin(None)
        _LOG.info("no embedder is set: the index of meaning was deleted")


@asynccontextmanager
async def meaning_to_look_at(settings: Settings, store: Store) -> AsyncGenerator[Meaning]:
    """Yields an open search by meaning; beside a running Steward it works on a copy.

    Raises a MeaningError when nothing can be searched.
    """
    till = till_of(settings, store)
    async with AsyncExitStack() as stack:
        meaning = await stack.enter_async_context(opened_meaning(settings, store, till))
        if meaning is None:
            raise VectorsLost("no embedder is set")
        try:
            await meaning.look()
        except VectorsAway:
            copied = vectors(settings, look=True)
            meaning = await stack.enter_async_context(opened_meaning(settings, store, till, copied))
            if meaning is None:
                raise
            await meaning.look()
        yield meaning
