"""Tries the indexes of the memory and the embedder, for the doctor."""

from collections.abc import Sequence

from bot.adapters.sql.store import open_store
from bot.bootstrap.embedder import LOCAL, embedder, vectors
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
_ALONE = "The search by meaning does not work now, so answers are found by their words"
_NOT_MADE = "The index is not made yet: until the next run has made it, answers are found by words."
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
    told = await _one_sentence(embeds, settings, recorded=begun)
    return f"{told} {await _index(settings, begun)}"


async def try_embedder(settings: Settings) -> str:
    """Returns a sentence when the embedder turns one into numbers, or raises a Complaint."""
    embeds = embedder(settings)
    if embeds is None:
        raise Complaint("No embedder is set.", "Set STEWARD_EMBED_MODEL.", "warn")
    return await _one_sentence(embeds, settings, recorded=False)


async def _one_sentence(embeds: Embedder, settings: Settings, *, recorded: bool) -> str:
    """Embeds one sentence and closes the embedder; its cost is put on record if wanted."""
    try:
        if recorded:
            embedded = await _embedded(settings, embeds)
        else:
            embedded = (await embeds.embed(_ASKED)).vectors
    except EmbedderDenied as fault:
        mend = "Look at STEWARD_EMBED_MODEL, STEWARD_EMBED_URL and STEWARD_EMBED_KEY."
        raise Complaint(f"{_ALONE}: {fault}.", mend, "warn") from None
    except EmbedderError as fault:
        look = "your network" if settings.meaning.model == LOCAL else "STEWARD_EMBED_URL"
        mend = f"Steward tries again by itself. If it does not help, look at {look}."
        raise Complaint(f"{_ALONE}: {fault}.", mend, "warn", fleeting=True) from None
    finally:
        await embeds.close()
    return f"{embeds.name} answers with {len(embedded[0]):,} numbers."


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
        raise Complaint(f"{_ALONE}: {fault}.", mend, "warn") from None


async def _looked_at(settings: Settings) -> str:
    async with open_store(settings.database_url, upgrade=False) as store:
        condition = await store.memory.condition()
        owed = await store.meant.count_owed()
        if condition.passages:
            async with meaning_to_look_at(settings, store):
                pass
    done = max(condition.passages - owed, 0)
    return f"{done:,} of {condition.passages:,} answers are found by meaning."
