"""The first choice of a search: the passages that are worth being weighed by all their words."""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nlargest

from bot.domain.value import frozen

TIMES = 1.2
"""Times after which a word that comes again hardly counts any more."""

_LENGTH = 0.4
"""Weight of the length of a passage, from 0 to 1."""

_USUAL = 120
"""Stems of a usual passage."""

_UNIT = 2**36
"""Parts of a weight, all whole: their sum is the same in any order, and in any database."""

_WORTH = 8
"""Times the passages of a word that are looked through for others, so that it leads to fewer."""


@frozen
class HeavyWord:
    """A word of a search, as a database looks for it."""

    token: str
    weight: int
    """Its weight, in whole parts."""
    beside: Sequence[str] = ()
    """Words of which a passage needs one besides; without any, it needs no other word."""


@frozen
class Heavy:
    """A passage by number, and the weight of all words of a search that it has."""

    number: int
    weight: float
    length: int
    """About the number of its stems."""


def in_parts(weight: Mapping[str, float]) -> Mapping[str, int]:
    """Returns weights in whole parts, the heaviest first."""
    line = sorted(weight.items(), key=lambda one: -one[1])
    return {word: round(each * _UNIT) for word, each in line}


def reached(parts: Mapping[str, int], counts: Mapping[str, int], most: int) -> int:
    """Returns the weight that so many passages reach by one word alone; 0 if so many have none."""
    return max((each for word, each in parts.items() if counts[word] >= most), default=0)


def leading(parts: Mapping[str, int], counts: Mapping[str, int], least: int) -> Sequence[HeavyWord]:
    """Returns the words of a search, so that they lead to all passages that weigh `least` or more.

    They lead to few others: a light word leads only to passages with one of the words without which
    its passages stay below. `parts` come with the heaviest first.
    """
    return [
        HeavyWord(word, each, _needed(word, parts, counts, least)) for word, each in parts.items()
    ]


def _needed(
    word: str, parts: Mapping[str, int], counts: Mapping[str, int], least: int
) -> Sequence[str]:
    """Returns the heaviest words of which a passage with this one needs one to weigh `least`.

    None are returned if it needs no other, or if looking for them takes longer than it saves.
    """
    if parts[word] >= least:
        return ()
    needed, rest = list[str](), sum(parts.values())
    for other, each in parts.items():
        if rest < least:
            break
        if other != word:
            needed.append(other)
            rest -= each
    longer = sum(counts[other] for other in needed) > _WORTH * counts[word]
    return () if longer else needed


def damped(length: int) -> float:
    """Returns the times after which a word hardly counts any more in a passage of so many stems."""
    return TIMES * (1 - _LENGTH + _LENGTH * length / _USUAL)


def likely(found: Iterable[Heavy], most: int) -> list[int]:
    """Returns the numbers of those to be weighed, the likeliest first; equal ones by the newest.

    A long passage counts less here as it does when it is weighed. The ranking of
    SQLite itself takes much more from it, so it lost to any short line with one of the words.
    """
    best = nlargest(
        most, found, key=lambda one: (one.weight / (1 + damped(one.length)), one.number)
    )
    return [one.number for one in best]
