"""The first choice of a search: the passages that are worth being weighed by all their words."""

from collections.abc import Iterable
from heapq import nlargest

from bot.domain.value import frozen

TIMES = 1.2
"""Times after which a word that comes again hardly counts any more."""

_LENGTH = 0.4
"""Weight of the length of a passage, from 0 to 1."""

_USUAL = 120
"""Stems of a usual passage."""


@frozen
class Heavy:
    """A passage by number, and the weight of all words of a search that it has."""

    number: int
    weight: float
    length: int
    """About the number of its stems."""


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
