"""Weighs how well passages fit a search: rare words count more, long passages count less.

Decisions 55, 61, 71, 84 and 87 tell the weights, which were chosen on public sets of long talks.
"""

from bisect import bisect_left
from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from heapq import nlargest
from itertools import compress
from math import log

from bot.domain.memory.first_choice import TIMES, damped
from bot.domain.memory.line_label import MARKED, in_labels, under_labels
from bot.domain.memory.passage import Hit
from bot.domain.text.stems import pairs
from bot.domain.value import field, frozen

ENOUGH = 0.4
"""The share of a search that a passage must cover for any to be worth a person's tokens.

Chosen on three public sets of long talks, by what comes for questions of strangers, which nothing
in the memory answers.
"""

AMONG_BEST_WORDS = 0.5
"""The part of the best hit's score that a passage needs besides."""

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

OWN_END = "|"
"""Stands between the person's words and the answer; it is no stem, and no search finds it."""

_CALM = 100
"""Passages that are assumed beside the real ones, so that a young memory weighs words evenly."""

_CHANCE = 0.5
"""The weight of a pair of characters that nobody ever wrote: most of them cross two words."""

_SAID_LENGTH, _SAID_USUAL = 0.4, 25
"""Weight of the length of what the person said, from 0 to 1, and its usual stems."""

_LONG_ANSWER = 300
"""Stems of an answer beside which the words of the person count half again."""

_ANSWERED = 0.4
"""The part of a search's share that a word loses which only an endless answer has.

A long answer has many words, and so the words of any question: it says little about whether it
fits.
"""

_WISH = 1.2
"""Times that a wish counts which holds always: it is asked in other words than it was said."""

_LABELLED = 0.3
"""The part by which a word counts more in a line whose label, as “Ann:”, is searched for.

Who asks about Ann mostly wants what she said, and not what was said to her.
"""

_WITHOUT = 0.3
"""The part that a passage loses where no label that is searched for is near, in it or beside it.

Most talks of a large memory are those of others.
"""

_NEAR, _NEAR_WORDS = 0.4, 6
"""The part by which two words of the search count again that stand so near each other."""

_NEAR_STEMS, _MOST_PLACES = 8, 30
"""The heaviest words of a search that are looked at for this, and the places of each word."""

_BESIDE, _BESIDE_AGAIN, _BESIDE_LENGTH = 0.5, 0.1, 150
"""The part of its neighbours' scores that a short passage gets for stems that it lacks, and for
those that it has itself; one of so many stems gets half.
"""

_TALK, _OF_TALK = 0.4, 3
"""The part that each passage gets of the scores of its conversation's best ones."""

_HEAD = 10
"""Smooths the first ranks of a fusion; measured best on three public sets, better than 60."""

_FRESH = 0.05
"""The part by which a passage of today counts more than one of long ago."""

_HALF_DAYS = 30.0
"""Days after which half of that is left."""


@frozen
class Candidate:
    """A passage that may fit."""

    at: datetime
    stems: str
    """Its stems, one for each word, with a space between them.

    OWN_END ends the person's words, and a mark each label of a line.
    """
    number: int = 0
    conversation: str = ""
    before: int | None = None
    after: int | None = None
    """The numbers of the passages before and after it in its conversation."""
    wish: bool = False
    """True when the person may have said a wish in it that holds always."""


@dataclass(slots=True)
class _Weighed:
    """A candidate while it is weighed."""

    one: Candidate
    length: int
    """The number of its stems."""
    held: Set[str]
    """Its stems that are searched for."""
    score: float = 0.0
    share: float = 0.0
    whole: float = 0.0
    """The weight of all its stems that are searched for."""
    labels: Set[str] = frozenset()
    """Those of its telling stems that are searched for and stand in labels of lines."""


def weights(
    parts: Mapping[str, float], frequencies: Mapping[str, int], total: int
) -> Mapping[str, float]:
    """Returns the weight of each stem of a search.

    `parts` say what a stem counts by itself, `frequencies` count its passages among `total`.
    """
    weight = dict[str, float]()
    for stem, part in parts.items():
        count = frequencies.get(stem, 0)
        chance = _CHANCE if pairs(stem) and not count else 1.0
        weight[stem] = part * chance * log((max(total, count) + _CALM) / (count + _CALM / 100))
    return weight


def fit(
    weight: Mapping[str, float],
    candidates: Mapping[str, Candidate],
    limit: int,
    soft: Container[str] = (),
) -> list[Hit]:
    """Returns the candidates that fit best, by their stems, the best first.

    `soft` stems order the candidates, and say nothing about the share that one covers.
    """
    return _Scores.of(weight, candidates, soft).hits(limit)


@frozen
class ScoreParts:
    """The parts of the score by which `fit` orders a passage."""

    words: Mapping[str, float]
    """The stems of the search that it has, each with its weight."""
    names: Set[str]
    """Those that are searched for and stand before its lines, as in “Ann: I am late”."""
    own: float
    """The count of its own words."""
    lost: float
    """The loss of a passage that has no name of the search near it."""
    beside: float
    """The part that the passages before and after it add."""
    talk: float
    """The part that the best passages of its conversation add."""
    wish: bool
    """True for a wish that holds always, whose words count more."""


@frozen
class Explained:
    """The hits of a search, and what counted for each passage that it weighed, by its id."""

    hits: Sequence[Hit] = ()
    parts: Mapping[str, ScoreParts] = field(default_factory=dict[str, ScoreParts])


def explained(
    weight: Mapping[str, float],
    candidates: Mapping[str, Candidate],
    limit: int,
    soft: Container[str] = (),
) -> Explained:
    """Returns what `fit` does, and part by part what it counted for each candidate."""
    scores = _Scores.of(weight, candidates, soft)
    return Explained(scores.hits(limit), scores.parts(weight))


@frozen
class _Scores:
    """The scores of candidates, step by step."""

    weighed: Mapping[str, _Weighed]
    said: Mapping[str, float]
    """Those of their own words."""
    beside: Mapping[str, float]
    """With what their neighbours add."""
    whole: Mapping[str, float]

    @classmethod
    def of(
        cls,
        weight: Mapping[str, float],
        candidates: Mapping[str, Candidate],
        soft: Container[str],
    ) -> "_Scores":
        weighed, own = _all_weighed(weight, candidates, soft)
        said = {id: each.score for id, each in weighed.items()}
        _lessen_others(own, weight)
        beside = _with_neighbours(weighed, own, weight)
        return cls(weighed, said, beside, _with_talk(weighed, beside))

    def hits(self, limit: int) -> list[Hit]:
        found = [
            Hit(id, self.whole[id], each.share, each.one.at)
            for id, each in self.weighed.items()
            if self.whole[id] > 0 and each.score > 0
        ]
        return sorted(found, key=lambda hit: (-hit.score, hit.id))[:limit]

    def parts(self, weight: Mapping[str, float]) -> Mapping[str, ScoreParts]:
        return {
            id: ScoreParts(
                {stem: weight[stem] for stem in each.held},
                each.labels,
                self.said[id],
                self.said[id] - each.score,
                self.beside[id] - each.score,
                self.whole[id] - self.beside[id],
                each.one.wish,
            )
            for id, each in self.weighed.items()
        }


def _all_weighed(
    weight: Mapping[str, float], candidates: Mapping[str, Candidate], soft: Container[str]
) -> tuple[Mapping[str, _Weighed], Mapping[int, _Weighed]]:
    """Returns the candidates with the scores of their own words, by their ids and numbers."""
    telling = {stem: each for stem, each in weight.items() if stem not in soft}
    whole = sum(telling.values())
    weighed = {id: _weighed(one, weight, telling, whole) for id, one in candidates.items()}
    return weighed, {each.one.number: each for each in weighed.values()}


def _weighed(
    one: Candidate, weight: Mapping[str, float], telling: Mapping[str, float], whole: float
) -> _Weighed:
    words = one.stems.split(" ")
    labels = one.stems.count(MARKED)
    places = _places(words, weight)
    own, length = 0, len(words) - labels
    if ends := places.pop(OWN_END, None):
        own, length = ends[0], length - 1
    answered = (length - own) / (length - own + _LONG_ANSWER)
    long = damped(length)
    short = TIMES * (1 - _SAID_LENGTH + _SAID_LENGTH * own / _SAID_USUAL)
    labelled = under_labels(words, places, telling, OWN_END) if labels else frozenset[str]()
    found = _Weighed(one, length, places.keys())
    found.labels = in_labels(words, places, telling) if labels else frozenset[str]()
    covered = 0.0
    for stem, held in places.items():
        times, said = len(held), bisect_left(held, own)
        # Beside a long answer, what the person said is a text of its own: the mean of both counts,
        # since their sum would let each long answer outweigh every short line.
        full = (times / (times + long) + answered * said / (said + short)) / (1 + answered)
        if stem in labelled:
            # In a long answer, labels are the heads of points.
            full *= 1 + _LABELLED * (1 - answered)
        found.score += weight[stem] * (TIMES + 1) * full
        covered += telling.get(stem, 0.0) * (1.0 if said else 1 - _ANSWERED * answered)
    found.share = covered / whole if whole else 0.0
    found.score += _NEAR * _near(places, weight)
    found.score *= _WISH if one.wish else 1.0
    return found


def _places(words: Sequence[str], wanted: Mapping[str, float]) -> dict[str, list[int]]:
    """Returns the first places of each wanted stem that is there; more of them tell nothing new.

    The end of the person's words is among them.
    """
    found = dict[str, list[int]]()
    looked_for = {OWN_END, *wanted}
    # Without a loop over all words: long answers have thousands.
    for place, stem in compress(enumerate(words), map(looked_for.__contains__, words)):
        held = found.setdefault(stem, [])
        if len(held) < _MOST_PLACES:
            held.append(place)
    return found


def _near(places: Mapping[str, Sequence[int]], weight: Mapping[str, float]) -> float:
    """Returns the weight of the lighter stem of each two that stand near each other."""
    heavy = list(places)
    if len(heavy) > _NEAR_STEMS:
        heavy = nlargest(_NEAR_STEMS, places, key=lambda stem: (weight[stem], stem))
    if len(heavy) < 2:
        return 0.0
    line = sorted([(place, stem) for stem in heavy for place in places[stem]])
    met = dict[tuple[str, str], float]()
    for n, (place, stem) in enumerate(line, 1):
        end, own = place + _NEAR_WORDS, weight[stem]
        for other_place, other in line[n : n + _NEAR_WORDS]:
            if other_place > end:
                break
            if other != stem:
                two = (stem, other) if stem < other else (other, stem)
                theirs = weight[other]
                met[two] = own if own < theirs else theirs
    return sum(met.values())


def _lessen_others(own: Mapping[int, _Weighed], weight: Mapping[str, float]) -> None:
    """Lessens the scores of passages that have no label of the search, nor their neighbours.

    A label that was found counts by its weight beside the others.
    """
    names = frozenset[str]().union(*(each.labels for each in own.values()))
    whole = sum(weight[name] for name in names)
    if whole <= 0:
        return
    for each in own.values():
        missed = names.difference(each.held, *(near.held for near in _neighbours(each, own)))
        each.score *= 1 - _WITHOUT * sum(weight[name] for name in missed) / whole


def _neighbours(one: _Weighed, own: Mapping[int, _Weighed]) -> list[_Weighed]:
    beside = (one.one.before, one.one.after)
    return [own[near] for near in beside if near is not None and near in own]


def _with_neighbours(
    weighed: Mapping[str, _Weighed], own: Mapping[int, _Weighed], weight: Mapping[str, float]
) -> dict[str, float]:
    """Returns the scores with a part of the neighbours': an answer tells what comes next.

    `own` has the same passages by their numbers.
    """
    for each in own.values():
        each.whole = sum([weight[stem] for stem in each.held])
    return {
        id: each.score
        + _told_beside(
            each,
            _neighbours(each, own),
            weight,
        )
        / (1 + (each.length / _BESIDE_LENGTH) ** 2)
        for id, each in weighed.items()
    }


def _told_beside(
    one: _Weighed, neighbours: Iterable[_Weighed], weight: Mapping[str, float]
) -> float:
    """Returns what neighbours add to a passage: stems that are told already say little new."""
    added, told = 0.0, set(one.held)
    for other in sorted(neighbours, key=lambda each: -each.score):
        fresh = other.held - told
        new = sum([weight[stem] for stem in fresh]) if fresh else 0.0
        part = new / other.whole if other.whole else 0.0
        added += other.score * (_BESIDE_AGAIN + (_BESIDE - _BESIDE_AGAIN) * part)
        told |= other.held
    return added


def _with_talk(weighed: Mapping[str, _Weighed], scores: Mapping[str, float]) -> Mapping[str, float]:
    """Returns the scores with a part of the best ones of the same conversation."""
    talks = dict[str, list[float]]()
    for id, each in weighed.items():
        if each.one.conversation:
            talks.setdefault(each.one.conversation, []).append(scores[id])
    best = {talk: sum(sorted(held)[-_OF_TALK:]) / _OF_TALK for talk, held in talks.items()}
    return {
        id: scores[id] + _TALK * best.get(each.one.conversation, 0.0)
        for id, each in weighed.items()
    }


@frozen
class Found:
    """A passage that was found by words, by meaning, or by both."""

    id: str
    score: float
    """Grows with its ranks in both searches; only comparable within one search."""
    by_words: Hit | None = None
    by_meaning: Hit | None = None
    fits: bool = False
    """True when it is worth a person's tokens."""


def together(
    by_words: Sequence[Hit], by_meaning: Sequence[Hit], now: datetime, weight: float = 1.0
) -> list[Found]:
    """Returns what either search found, the best first: what both found comes before the rest.

    `weight` says what the meaning counts beside the words, from 0 to 1; with 0 it adds nothing.
    """
    if not weight:
        by_meaning = ()
    words, meaning = ({hit.id: hit for hit in hits} for hits in (by_words, by_meaning))
    scores = _fused((newer_first(by_words, now), 1.0), (newer_first(by_meaning, now), weight))
    best = _Best(
        max((hit.share for hit in by_words), default=0.0),
        max((hit.score for hit in by_words), default=0.0),
        max((hit.score for hit in by_meaning), default=0.0),
    )
    found = [
        Found(id, score, said, meant, _fits(said, meant, best))
        for id, score in scores.items()
        for said, meant in ((words.get(id), meaning.get(id)),)
    ]
    return sorted(found, key=lambda one: (-one.score, one.id))


@frozen
class _Best:
    """The best of all that was found."""

    share: float
    score: float
    beyond: float


def _fits(by_words: Hit | None, by_meaning: Hit | None, best: _Best) -> bool:
    """Judges a passage beside the best share, score and spreads of all that were found."""
    own, score = (by_words.share, by_words.score) if by_words is not None else (0.0, 0.0)
    if best.share >= ENOUGH and score >= AMONG_BEST_WORDS * best.score:
        return True
    if by_meaning is None or by_meaning.score < _AMONG_BEST * best.beyond:
        return False
    if best.share >= _FEW and own < _AGREES * best.share:
        return False
    alone = by_meaning.score >= BEYOND
    return alone or (own >= ENOUGH_OF_BOTH and by_meaning.score >= BEYOND_OF_BOTH)


def newer_first(hits: Iterable[Hit], now: datetime) -> list[str]:
    """Returns the ids of hits by their fit, with a small advantage for what is recent."""

    def rank(hit: Hit) -> float:
        days = max((now - hit.at).total_seconds(), 0) / 86_400
        return hit.score * (1 + _FRESH * 0.5 ** (days / _HALF_DAYS))

    return [hit.id for hit in sorted(hits, key=rank, reverse=True)]


def _fused(*rankings: tuple[Sequence[str], float]) -> dict[str, float]:
    """Returns the sum of the reciprocal ranks of each id, each by the weight of its ranking."""
    total: dict[str, float] = {}
    for ranking, weight in rankings:
        for place, id in enumerate(ranking):
            total[id] = total.get(id, 0.0) + weight / (_HEAD + place + 1)
    return total
