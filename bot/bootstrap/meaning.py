"""Searches by meaning as the settings want them: their embedder, and the index of the memory."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from bot.adapters.chroma.vectors import ChromaVectors
from bot.adapters.sql.stemmer import stem
from bot.adapters.sql.store import Store
from bot.adapters.system_clock import SystemClock
from bot.bootstrap.embedder import embedder, vectors
from bot.domain.clock.zones import Zones
from bot.domain.talk.errors import VectorsAway, VectorsLost
from bot.domain.value import frozen
from bot.flow.describing.descriptions import DescriptionSearch
from bot.flow.describing.filling import Filling
from bot.flow.describing.held_vectors import HeldVectors
from bot.flow.memory.meaning import Meaning
from bot.flow.memory.weighing import Weighing
from bot.flow.money.paid_embedder import PaidEmbedder
from bot.flow.money.till import Till
from bot.ports.embedder import Embedder
from bot.ports.skills import Skills
from bot.settings import Settings


def till_of(settings: Settings, store: Store) -> Till:
    """Returns the till of a run."""
    zones, budgets = Zones(settings.policy.timezone), settings.policy.budgets
    return Till(store.ledger, store.journal, store.people, zones, SystemClock(), budgets)


@frozen
class ByMeaning:
    """The searches by meaning of a run; None when no embedder is set."""

    answers: Meaning | None = None
    descriptions: DescriptionSearch | None = None


@asynccontextmanager
async def opened_searches(
    settings: Settings, store: Store, till: Till, skills: Skills
) -> AsyncGenerator[ByMeaning]:
    """Yields the searches by meaning, which load nothing yet and share one embedder."""
    async with _opened_embedder(settings) as embeds:
        if embeds is None:
            yield ByMeaning()
            return
        async with _opened(settings, store, PaidEmbedder(embeds, till), None) as meaning:
            yield ByMeaning(meaning, _descriptions(settings, store, embeds, till, meaning, skills))


def _descriptions(
    settings: Settings, store: Store, embeds: Embedder, till: Till, meaning: Meaning, skills: Skills
) -> DescriptionSearch:
    # With a purse of its own: each search writes down what its own calls have cost.
    paid, held, clock = PaidEmbedder(embeds, till), HeldVectors(), SystemClock()
    most = settings.policy.skill_list_bytes
    filling = Filling(paid, store.descriptions, store.journal, clock, skills, most, held)
    return DescriptionSearch(
        paid, held, filling, lambda: bool(meaning.weight), store.journal, clock
    )


@asynccontextmanager
async def opened_meaning(
    settings: Settings, store: Store, till: Till, held: ChromaVectors | None = None
) -> AsyncGenerator[Meaning | None]:
    """Yields the search by meaning, which loads nothing yet; None when no embedder is set.

    `held` is used instead of the index of the settings. Both are closed at the end.
    """
    async with _opened_embedder(settings) as embeds:
        if embeds is None:
            yield None
            return
        async with _opened(settings, store, PaidEmbedder(embeds, till), held) as meaning:
            yield meaning


@asynccontextmanager
async def _opened_embedder(settings: Settings) -> AsyncGenerator[Embedder | None]:
    embeds = embedder(settings)
    try:
        yield embeds
    finally:
        if embeds is not None:
            await embeds.close()


@asynccontextmanager
async def _opened(
    settings: Settings, store: Store, paid: PaidEmbedder, held: ChromaVectors | None
) -> AsyncGenerator[Meaning]:
    index = held or vectors(settings)
    try:
        yield Meaning(
            paid,
            index,
            store.meant,
            store.meaning_debts,
            store.journal,
            SystemClock(),
            Weighing(store.weights, stem),
        )
    finally:
        await index.close()


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
