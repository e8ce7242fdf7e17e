"""Tries the indexes of the memory and the embedder, for the doctor."""

from collections.abc import Sequence

from bot.adapters.sql.store import open_store
from bot.bootstrap.embedder import embedder, vectors
from bot.bootstrap.meaning import meaning_to_look_at, till_of
from bot.doctor import Complaint
from bot.domain.change import Change
from bot.domain.memory.meaning import Vector
from bot.domain.talk.errors import (
    EmbedderDenied,
    EmbedderError,
    MeaningError,
    StoreError,
    StoreTooOld,
    VectorsLost,
)
from bot.flow.money.paid_embedder import IN_THE_BACKGROUND, PaidEmbedder
from bot.ports.embedder import Embedder
from bot.settings import Settings
from bot.shipped import command

_ASKED = ("Is anybody there?",)
_NOT_MADE = "The index is not made yet: words serve alone until the next run has made it."
_DUE = "The next start upgrades the database, and fills the indexes."


async def try_words(settings: Settings) -> str:
    """Returns a sentence about the index of words; a damaged one is a complaint."""
    mend = f"Run `{command('memory reindex')}`."
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            condition = await store.memory.condition()
            if condition.owed < condition.passages:
                held, wanted = await store.words.check()
                if held != wanted:
                    told = f"The index of words has {held:,} answers instead of {wanted:,}."
                    raise Complaint(told, mend, "warn")
    except StoreTooOld:
        return _DUE
    except StoreError as fault:
        raise Complaint(f"The index of words is damaged: {fault}.", mend, "warn") from None
    done = condition.passages - condition.owed
    if not condition.passages:
        return "Nothing to remember yet."
    return f"{done:,} of {condition.passages:,} answers are found by words."


async def try_meaning(settings: Settings, *, begun: bool = True) -> str:
    """Returns a sentence about embedder and index; answers are found by words without them.

    Without `begun` there is no database yet, and none is opened.
    """
    embeds = embedder(settings)
    if embeds is None:
        return "Answers are found by words alone: no embedder is set."
    try:
        if begun:
            embedded = await _embedded(settings, embeds)
        else:
            embedded = (await embeds.embed(_ASKED)).vectors
    except EmbedderDenied as fault:
        mend = "Look at STEWARD_EMBED_MODEL, STEWARD_EMBED_URL and STEWARD_EMBED_KEY."
        raise Complaint(f"Words serve alone: {fault}.", mend, "warn") from None
    except EmbedderError as fault:
        mend = "Steward tries again by itself. Look at STEWARD_EMBED_URL if it stays away."
        raise Complaint(f"Words serve alone: {fault}.", mend, "warn", fleeting=True) from None
    finally:
        await embeds.close()
    told = f"{embeds.name} answers with {len(embedded[0]):,} numbers."
    return f"{told} {await _index(settings, begun)}"


async def _embedded(settings: Settings, embeds: Embedder) -> Sequence[Vector]:
    """Returns vectors of a sentence; what they cost is on record if there is a record."""
    try:
        async with open_store(settings.database_url, upgrade=False) as store:
            paid = PaidEmbedder(embeds, till_of(settings, store))
            found = await paid.embed(_ASKED, IN_THE_BACKGROUND)
            await store.journal.commit(Change(found.records))
            return found.vectors
    except StoreError:
        return (await embeds.embed(_ASKED)).vectors


async def _reach(settings: Settings) -> None:
    index = vectors(settings, look=True)
    try:
        await index.reach()
    finally:
        await index.close()


async def _index(settings: Settings, begun: bool) -> str:
    try:
        # Before anything is indexed, nothing below would ask a server.
        await _reach(settings)
        return await _looked_at(settings) if begun else _NOT_MADE
    except StoreTooOld:
        return _DUE
    except VectorsLost:
        return _NOT_MADE
    except MeaningError as fault:
        mend = "Look at STEWARD_CHROMA_URL, or at the folder “meaning” of STEWARD_HOME."
        raise Complaint(f"Words serve alone: {fault}.", mend, "warn") from None


async def _looked_at(settings: Settings) -> str:
    async with open_store(settings.database_url, upgrade=False) as store:
        condition = await store.memory.condition()
        owed = await store.meant.count_owed()
        if condition.passages:
            async with meaning_to_look_at(settings, store):
                pass
    done = max(condition.passages - owed, 0)
    return f"{done:,} of {condition.passages:,} answers are found by meaning."
