"""Weighs how well passages fit a search: rare words count more, long passages count less."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import log

from bot.domain.passage import Hit
from bot.domain.stems import pairs

ENOUGH = 0.4
"""The share of a search that a passage must cover to be worth a person's tokens.

Measured by `benchmarks/memory.py` on made facts: at this share all that were told are recalled and
none that was not; a name that nobody mentioned is enough to stay below it.
"""

BEYOND = 8.3
"""Spreads beyond chance from which a passage fits by its meaning alone."""

ENOUGH_OF_BOTH, BEYOND_OF_BOTH = 0.25, 6.5
"""The share and the spreads from which a passage fits that both searches found.

Measured by `benchmarks/recall.py`, as BEYOND is: lower ones recall more of what was told, and as
much more of what is only like it.
"""

_AMONG_BEST = 0.8
"""The part of the best hit's spreads that a passage needs to fit by its meaning."""

_AGREES = 0.9
"""The part of the best hit's share that it needs besides.

What means the same but lacks a word that other passages have is about somebody else.
"""

_FEW = 0.12
"""The share below which the words say nothing: then the meaning alone decides."""

_CALM = 100
"""Passages that are assumed beside the real ones, so that a young memory weighs words evenly."""

_CHANCE = 0.5
"""The weight of a pair of characters that nobody ever wrote: most of them cross two words."""

_TIMES = 1.2
"""Times after which a word that comes again hardly counts any more."""

_LENGTH = 0.4
"""Weight of the length of a passage, from 0 to 1."""

_USUAL = 120
"""Stems of a usual passage."""

_HEAD = 10
"""Smooths the first ranks of a fusion; measured best on three public sets, better than 60."""

_FRESH = 0.15
"""The part by which a passage of today counts more than one of long ago."""

_HALF_DAYS = 30.0
"""Days after which half of that is left."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage that may fit."""

    at: datetime
    stems: str
    """Its stems, one for each word, with a space between them."""


def weights(frequencies: Mapping[str, int], total: int) -> Mapping[str, float]:
    """Returns the weight of each stem; `frequencies` count its passages among `total`."""
    weight = {
        stem: log((max(total, count) + _CALM) / (count + _CALM / 100))
        for stem, count in frequencies.items()
    }
    return {
        stem: each * (_CHANCE if pairs(stem) and not frequencies[stem] else 1.0)
        for stem, each in weight.items()
    }


def fit(weight: Mapping[str, float], candidates: Mapping[str, Candidate], limit: int) -> list[Hit]:
    """Returns the candidates that fit best, by their stems, the best first."""
    whole = sum(weight.values())
    found = [_hit(id, held, weight, whole) for id, held in candidates.items()]
    kept = [hit for hit in found if hit.score > 0]
    return sorted(kept, key=lambda hit: (-hit.score, hit.id))[:limit]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage that was found by words, by meaning, or by both."""

    id: str
    score: float
    """Grows with its ranks in both searches; only comparable within one search."""
    by_words: Hit | None = None
    by_meaning: Hit | None = None
    fits: bool = False
    """True when it is worth a person's tokens."""


def together(by_words: Sequence[Hit], by_meaning: Sequence[Hit], now: datetime) -> list[Found]:
    """Returns what either search found, the best first: what both found comes before the rest."""
    words, meaning = ({hit.id: hit for hit in hits} for hits in (by_words, by_meaning))
    scores = _fused(newer_first(by_words, now), newer_first(by_meaning, now))
    share = max((hit.share for hit in by_words), default=0.0)
    beyond = max((hit.score for hit in by_meaning), default=0.0)
    found = [
        Found(id, score, said, meant, _fits(said, meant, share, beyond))
        for id, score in scores.items()
        for said, meant in ((words.get(id), meaning.get(id)),)
    ]
    return sorted(found, key=lambda one: (-one.score, one.id))


def _fits(by_words: Hit | None, by_meaning: Hit | None, share: float, beyond: float) -> bool:
    """Judges a passage beside the best share and the best spreads of all that were found."""
    own = by_words.share if by_words is not None else 0.0
    if own >= ENOUGH:
        return True
    if by_meaning is None or by_meaning.score < _AMONG_BEST * beyond:
        return False
    if share >= _FEW and own < _AGREES * share:
        return False
    alone = by_meaning.score >= BEYOND
    return alone or (own >= ENOUGH_OF_BOTH and by_meaning.score >= BEYOND_OF_BOTH)


def newer_first(hits: Iterable[Hit], now: datetime) -> list[str]:
    """Returns the ids of hits by their fit, with a small advantage for what is recent."""

    def rank(hit: Hit) -> float:
        days = max((now - hit.at).total_seconds(), 0) / 86_400
        return hit.score * (1 + _FRESH * 0.5 ** (days / _HALF_DAYS))

    return [hit.id for hit in sorted(hits, key=rank, reverse=True)]


def _fused(*rankings: Sequence[str]) -> dict[str, float]:
    """Returns the sum of the reciprocal ranks of each id."""
    total: dict[str, float] = {}
    for ranking in rankings:
        for place, id in enumerate(ranking):
            total[id] = total.get(id, 0.0) + 1 / (_HEAD + place + 1)
    return total


def _hit(id: str, one: Candidate, weight: Mapping[str, float], whole: float) -> Hit:
    # Text is searched in C; a list of its stems would be thousands of strings for each search.
    # Two neighbours share no space once each space is two.
    held = f" {one.stems.replace(' ', '  ')} "
    times = {stem: count for stem in weight if (count := held.count(f" {stem} "))}
    words = one.stems.count(" ") + 1
    long = _TIMES * (1 - _LENGTH + _LENGTH * words / _USUAL)
    score = sum(weight[stem] * n * (_TIMES + 1) / (n + long) for stem, n in times.items())
    share = sum(weight[stem] for stem in times) / whole if whole else 0.0
    return Hit(id, score, share, one.at)
