"""Finds the passages that fit a message: by words, and by meaning where there is an index of it."""

import asyncio
import logging
from collections.abc import Awaitable, Collection, Mapping, Sequence

from bot.domain.change import AddUsage, Change
from bot.domain.memory.fit import Explained, Found, ScoreParts, together
from bot.domain.memory.passage import Hit, Passage, Whose
from bot.domain.memory.unknowing import tells
from bot.domain.money.budget import Cause
from bot.domain.talk.errors import StewardError, StoreError
from bot.domain.value import frozen
from bot.flow.activities import InTime
from bot.ports.clock import Clock
from bot.ports.journal import Journal
from bot.ports.meaning import MeaningCondition, MeaningIndex, MeantHits
from bot.ports.memory import Index, Memory, MemoryCondition

_LOG = logging.getLogger(__name__)

_LOOKED_AT = 24
"""Hits of each index that are looked at: some are in view already."""

_MOST = 5
"""Passages that are recalled for one message; their neighbours come beside them."""

_A_WISH = 0.2
"""The share that a wish must cover for the place that is kept for one beside what fits."""

_IN_RESERVE = 3
"""Passages that take the places of those that say only that something is not known."""

_MEANING_SECONDS = 0.3
"""Seconds that the search by meaning has; without an answer the words go alone."""

_REST_SECONDS = 10.0
"""Seconds in which a search by meaning that had no answer in time is not tried again.

A slow embedder would otherwise hold up the start of each turn.
"""


@frozen
class Fitting:
    """The passages that fit a message well, the best first."""

    ids: Sequence[str]
    passages: Sequence[Passage] = ()
    """These and their neighbours, in the order in which they were kept."""
    records: tuple[AddUsage, ...] = ()
    """The records of what the search cost, which the caller writes."""


@frozen
class Looked:
    """The hits of a search, and those of them that a model would be told."""

    found: Sequence[Found]
    """The best first."""
    passages: Mapping[str, Passage]
    """The passages of all ids here, by id."""
    told: Sequence[str]
    """Those that a model would get, the best first."""
    around: Sequence[Passage]
    """These and their neighbours, in the order in which they were kept."""
    parts: Mapping[str, ScoreParts]
    """The parts of each score of the search by words, by id."""


class Recall:
    """Searches one person's or one group's memory, never another's."""

    def __init__(
        self,
        memory: Memory,
        words: Index,
        meaning: MeaningIndex | None,
        journal: Journal,
        clock: Clock,
    ) -> None:
        self._memory = memory
        self._words = words
        self._meaning = meaning
        self._journal = journal
        self._clock = clock
        self._in_time = InTime(clock, _MEANING_SECONDS, _REST_SECONDS)

    async def fitting(
        self, said: str, whose: Whose, besides: Collection[str], cause: Cause
    ) -> Fitting:
        """Returns the passages that fit a message well; none when no passage does.

        A fault of an index costs its hits alone.
        """
        by_words = self._by_words(said, whose, _LOOKED_AT)
        found, records = await self._found(by_words, said, whose, _LOOKED_AT, cause)
        return Fitting(*await self._chosen(found, said, whose, besides), records)

    async def looked(self, said: str, whose: Whose, cause: Cause) -> Looked:
        """Returns what a message with these words would bring along, for a person who looks."""
        explained = Explained()

        async def by_words() -> Sequence[Hit]:
            nonlocal explained
            explained = await self._explained(said, whose)
            return explained.hits

        found, records = await self._found(by_words(), said, whose, _LOOKED_AT, cause)
        if records:
            await self._write_down(records)
        told, around = await self._chosen(found, said, whose, ())
        every = await self._memory.around([one.id for one in found])
        held = {one.id: one for one in (*every, *around)}
        return Looked(found, held, told, around, explained.parts)

    async def _chosen(
        self, found: Sequence[Found], said: str, whose: Whose, besides: Collection[str]
    ) -> tuple[Sequence[str], Sequence[Passage]]:
        """Returns the ids of those to tell a model, and what stands around them."""
        ids: Sequence[str] = [one.id for one in found if one.fits and one.id not in besides]
        if ids:
            ids = await self._with_wish(ids, said, whose, besides)
        return await self._telling(ids)

    async def _with_wish(
        self, ids: Sequence[str], said: str, whose: Whose, besides: Collection[str]
    ) -> Sequence[str]:
        """Returns these with the wish in the last place that fits best, if any does."""
        try:
            wishes = await self._words.wishes(said, whose)
        except StewardError as fault:
            _LOG.warning("wishes cannot be searched: %s", fault)
            return ids
        best = next(
            (one.id for one in wishes if one.share >= _A_WISH and one.id not in besides), ""
        )
        if not best or best in ids[:_MOST]:
            return ids
        others = [id for id in ids if id != best]
        return [*others[: _MOST - 1], best, *others[_MOST - 1 :]]

    async def _telling(self, ids: Sequence[str]) -> tuple[Sequence[str], Sequence[Passage]]:
        """Returns the first of these that tell something, and what stands around them."""
        first = ids[:_MOST]
        around = await self._memory.around(first)
        known = [one for one in around if tells(one)]
        if {one.id for one in known} >= set(first):
            return first, known
        spare = await self._memory.around(ids[: _MOST + _IN_RESERVE])
        telling = {one.id for one in spare if tells(one)}
        first = [id for id in ids if id in telling][:_MOST]
        around = await self._memory.around(first)
        return first, [one for one in around if tells(one)]

    async def searched(
        self, said: str, whose: Whose, limit: int, cause: Cause
    ) -> Sequence[tuple[Passage, Found]]:
        """Returns all that is like these words, the best first, for a person who looks."""
        by_words = self._by_words(said, whose, limit)
        found, records = await self._found(by_words, said, whose, limit, cause)
        if records:
            await self._write_down(records)
        found = found[:limit]
        held = {one.id: one for one in await self._memory.around([one.id for one in found])}
        return [(held[one.id], one) for one in found if one.id in held]

    async def readiness(self) -> tuple[int, MeaningCondition | None]:
        """Returns the number of passages that no word finds yet, and the state of meaning."""
        by_meaning = None if self._meaning is None else await self._meaning.condition()
        return await self._memory.count_owed(), by_meaning

    async def condition(self) -> tuple[MemoryCondition, MeaningCondition | None]:
        """Returns the state of the memory, and of its search by meaning if there is one."""
        by_meaning = None if self._meaning is None else await self._meaning.condition()
        return await self._memory.condition(), by_meaning

    async def _write_down(self, records: Sequence[AddUsage]) -> None:
        try:
            await self._journal.commit(Change(tuple(records)))
        except StoreError as fault:
            _LOG.warning("the cost of a search is not on record: %s", fault)

    async def _found(
        self, by_words: Awaitable[Sequence[Hit]], said: str, whose: Whose, limit: int, cause: Cause
    ) -> tuple[list[Found], tuple[AddUsage, ...]]:
        meaning = self._meaning
        if meaning is None or self._in_time.rests:
            return together(await by_words, (), self._clock.now()), ()
        hits, meant = await asyncio.gather(
            by_words, self._by_meaning(meaning, said, whose, limit, cause)
        )
        found = together(hits, meant.hits, self._clock.now(), meant.weight)
        return found, meant.records

    async def _by_words(self, said: str, whose: Whose, limit: int) -> Sequence[Hit]:
        try:
            return await self._words.search(said, whose, limit)
        except StewardError as fault:
            _LOG.warning("the index of words cannot be searched: %s", fault)
            return ()

    async def _explained(self, said: str, whose: Whose) -> Explained:
        try:
            return await self._words.explained(said, whose, _LOOKED_AT)
        except StewardError as fault:
            _LOG.warning("the index of words cannot be searched: %s", fault)
            return Explained()

    async def _by_meaning(
        self, meaning: MeaningIndex, said: str, whose: Whose, limit: int, cause: Cause
    ) -> MeantHits:
        try:
            return await self._in_time.done(meaning.search(said, whose, limit, cause))
        except TimeoutError:
            _LOG.info("meaning was not searched: no answer in time")
        except StewardError as fault:
            _LOG.info("meaning was not searched: %s", fault)
        return MeantHits()
