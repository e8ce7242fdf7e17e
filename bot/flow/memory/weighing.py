"""Measures what a search by meaning is worth beside that by words, on the answers that are kept."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TypeAlias

from bot.domain.memory.earned import (
    FEWEST,
    UNMEASURED,
    earned,
    ranks_by_meaning,
    ranks_by_words,
    sampled,
)
from bot.domain.memory.meaning import Vector, first_bytes
from bot.domain.memory.passage import Passage
from bot.domain.talk.errors import EmbedderRefuses
from bot.domain.text.stems import Stem
from bot.ports.meaning import Begun, Weights

Embed: TypeAlias = Callable[[Sequence[str]], Awaitable[Sequence[Vector]]]

_MOST = 64
"""Questions that are asked, and answers among which each looks for its own."""

_LOOKED_AT = 2 * _MOST
"""Passages that are looked at for them: notes have no question."""

_MOST_BYTES = 2_000
"""Bytes of a question and of an answer: with all of them it is 64,000 tokens at most."""

_SECONDS = 60.0
"""Seconds that the embedder has for all of it."""

_GROWN = 2
"""The factor by which a memory grows until it is measured again."""


class Weighing:
    """Asks each of some questions for its own answer, which is ranked without its question."""

    def __init__(self, weights: Weights, stem: Stem) -> None:
        self._weights = weights
        self._stem = stem

    @staticmethod
    def due(begun: Begun, newest: int) -> bool:
        """Returns True for an index that was not measured, or had half of its passages then."""
        return not begun.weighed or newest >= _GROWN * begun.weighed

    @staticmethod
    def weight(begun: Begun | None) -> float:
        """Returns what an index counts beside words; the cautious part until it is measured."""
        return UNMEASURED if begun is None or begun.weight is None else begun.weight

    async def measured(self, begun: Begun, embed: Embed) -> Begun:
        """Returns the index with its weight, which is noted; raises TimeoutError, EmbedderError."""
        sample = await self._weights.sample(_LOOKED_AT)
        if not sample.newest:
            return begun
        weight = await self._weight(sampled(sample.passages, _MOST), embed)
        weighed = replace(begun, weight=weight, weighed=sample.newest)
        await self._weights.weigh(weighed)
        return weighed

    async def _weight(self, passages: Sequence[Passage], embed: Embed) -> float | None:
        if len(passages) < FEWEST:
            return None
        questions = [first_bytes(one.question, _MOST_BYTES) for one in passages]
        answers = [first_bytes(one.answer, _MOST_BYTES) for one in passages]
        try:
            async with asyncio.timeout(_SECONDS):
                vectors = await embed([*questions, *answers])
        except EmbedderRefuses:
            return None
        return await asyncio.to_thread(self._earned, questions, answers, vectors)

    def _earned(
        self, questions: Sequence[str], answers: Sequence[str], vectors: Sequence[Vector]
    ) -> float | None:
        count = len(questions)
        by_words = ranks_by_words(questions, answers, self._stem)
        return earned(by_words, ranks_by_meaning(vectors[:count], vectors[count:]))
