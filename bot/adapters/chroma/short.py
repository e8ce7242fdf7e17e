"""Shortens vectors for Chroma, which holds every number of every vector in memory.

Hundreds of numbers of an embedder become 64, however many they are: sums of all numbers, each with
a sign of its own. Nearness survives that about, so the nearest are judged anew by their whole
vectors. The signs are rows of a Hadamard matrix, which say different things about a vector, and are
mixed by a hash, so that every program and every version finds the same ones.
"""

from collections.abc import Iterable, Sequence
from math import dist

from bot.domain.meaning import unit

LENGTH = 64
"""Numbers of a short vector; 32 more would weigh 13 MB among 100,000 passages."""

_BITS = 2**64 - 1
_SIGNS = 2**32
"""The first of the numbers that make signs."""


class Shortener:
    """Shortens vectors of one size; those that are short already stay as they are."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._rows = _rows(size) if size > LENGTH else ()

    def short(self, vector: Sequence[float]) -> Sequence[float]:
        """Returns the short vector, of length 1."""
        if not self._rows:
            return list(vector)
        return unit(products(tuple(vector), self._rows, [float(self._size)] * LENGTH))


def products(
    vector: tuple[float, ...], others: Iterable[tuple[int, ...]], squares: Sequence[float]
) -> list[float]:
    """Returns the scalar products of a vector and others, whose squared lengths are known.

    A distance holds a scalar product, and `dist` is the one loop over numbers that Python has in C.
    It takes 3 microseconds for 384 numbers; numpy would take 15 MB.
    """
    own = sum(each * each for each in vector)
    return [
        (own + square - dist(vector, other) ** 2) / 2
        for other, square in zip(others, squares, strict=True)
    ]


def _rows(size: int) -> Sequence[tuple[int, ...]]:
    width = 1 << (size - 1).bit_length()
    chosen = sorted(range(width), key=_mixed)[:LENGTH]
    signs = [1 - 2 * (_mixed(_SIGNS + column) & 1) for column in range(size)]
    return [
        tuple(
            sign * (1 - 2 * ((row & column).bit_count() & 1)) for column, sign in enumerate(signs)
        )
        for row in chosen
    ]


def _mixed(number: int) -> int:
    """Returns a number without a pattern for each number, as SplitMix64 does.

    The library of hashes would bring 4 MB of OpenSSL along.
    """
    mixed = (number + 1) * 0x9E3779B97F4A7C15 & _BITS
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB & _BITS
    return mixed ^ mixed >> 31
