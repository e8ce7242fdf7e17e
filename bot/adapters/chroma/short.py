"""Shortens vectors for Chroma, which holds every number of every vector in memory.

Hundreds of numbers of an embedder become 64, however many they are: sums of all numbers, each with
a sign of its own. Nearness survives that about, so the nearest are judged anew by their whole
vectors. The signs are rows of a Hadamard matrix, which say different things about a vector, and are
mixed by a hash, so that every program and every version finds the same ones.
"""

from collections.abc import Sequence
from operator import add, mul, sub

from bot.domain.memory.meaning import unit

LENGTH = 64
"""Numbers of a short vector; 32 more would weigh 13 MB among 100,000 passages."""

_BITS = 2**64 - 1
_SIGNS = 2**32
"""The first of the numbers that make signs."""


class Shortener:
    """Shortens vectors of one size; those that are short already stay as they are."""

    def __init__(self, size: int) -> None:
        width = 1 << (size - 1).bit_length()
        self._is_long = size > LENGTH
        self._rows = sorted(range(width), key=_mixed)[:LENGTH]
        self._signs = [1.0 - 2 * (_mixed(_SIGNS + column) & 1) for column in range(size)]
        self._padding = [0.0] * (width - size)

    def short(self, vector: Sequence[float]) -> Sequence[float]:
        """Returns the short vector, of length 1."""
        if not self._is_long:
            return list(vector)
        sums = hadamard([*map(mul, vector, self._signs), *self._padding])
        return unit([sums[row] for row in self._rows])


def hadamard(numbers: Sequence[float]) -> Sequence[float]:
    """Returns the products of all rows of a Hadamard matrix with numbers, whose count is 2, 4, 8 …

    Sums of pairs of sums take far fewer steps than one row after the other would, and no memory for
    the rows. Each step pairs neighbours and moves the last bit of their places to the front, so
    after the last step each sum stands at the place of its row.
    """
    for _ in range((len(numbers) - 1).bit_length()):
        even, odd = numbers[::2], numbers[1::2]
        numbers = [*map(add, even, odd), *map(sub, even, odd)]
    return numbers


def _mixed(number: int) -> int:
    """Returns a number without a pattern for each number, as SplitMix64 does.

    The library of hashes would bring 4 MB of OpenSSL along.
    """
    mixed = (number + 1) * 0x9E3779B97F4A7C15 & _BITS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _BITS
    return mixed ^ mixed >> 31
