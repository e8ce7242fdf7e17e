"""Proves that the index of meaning has each answer once and nothing else, or makes it anew."""

from collections.abc import Sequence, Set
from uuid import uuid4

from bot.adapters.sql.meaning import promised
from bot.adapters.sql.moment import moment_of
from bot.adapters.sql.verifying import Flaw, named
from bot.bootstrap.database import opened_as_it_is
from bot.bootstrap.embedder import vectors
from bot.domain.memory.passage import Whose
from bot.domain.talk.errors import VectorsAway, VectorsLost
from bot.one_off.memory_commands import Say, give_meaning
from bot.ports.meaning import Begun
from bot.settings import Settings

_BROKEN = Flaw("The index of meaning is gone or broken.", can_mend=True)


async def flaws_of_meaning(settings: Settings) -> Sequence[Flaw]:
    """Returns what does not hold; raises VectorsAway when the index cannot be looked at.

    A running Steward may work on rows and index meanwhile, so only what its rows promised before
    and after the look counts.
    """
    if settings.meaning.model is None:
        return ()
    with moment_of(settings.database_url) as connection:
        before = promised(connection)
    if before is None:
        return ()
    held = await _held(settings, before.index)
    with moment_of(settings.database_url) as connection:
        after = promised(connection)
    if after is None or after.index != before.index:
        return ()
    has = before.has & after.has
    if held is None:
        return () if not has or await _is_kept_elsewhere(settings) else (_BROKEN,)
    lacking, foreign = has - held, held - before.may_have - after.may_have
    told = (
        ("The index of meaning does not have an answer: {}.", lacking),
        ("The index of meaning has an answer that is gone: {}.", foreign),
    )
    return [
        Flaw(sentence.format(named([str(number) for number, _ in sorted(found)])), can_mend=True)
        for sentence, found in told
        if found
    ]


async def _held(settings: Settings, name: str) -> Set[tuple[int, Whose]] | None:
    """Returns the vectors of an index, of a copy beside a running Steward; None without it."""
    for look in (False, True):
        index = vectors(settings, look=look)
        try:
            return await index.held() if await index.open(name) else None
        except VectorsLost:
            return None
        except VectorsAway:
            if look:
                raise
        finally:
            await index.close()
    return None


async def _is_kept_elsewhere(settings: Settings) -> bool:
    async with opened_as_it_is(settings) as store:
        return not await store.meant.held()


async def make_anew(settings: Settings, say: Say) -> None:
    """Makes the index anew, and gives it what the embedder takes now; the rest follows later."""
    async with opened_as_it_is(settings) as store:
        begun = await store.meant.begun()
        if begun is None:
            return
        index = vectors(settings)
        try:
            anew = Begun(uuid4().hex, begun.space)
            # Nothing stays of an index that has what was erased, even without the embedder.
            await index.make(anew.name)
            await store.meant.begin(anew)
        finally:
            await index.close()
        await give_meaning(settings, store, say)
