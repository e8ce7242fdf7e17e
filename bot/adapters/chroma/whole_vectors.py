"""The whole vectors beside Chroma's short ones, in a file of their own: a byte for each number."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from math import dist, sqrt
from operator import mul
from pathlib import Path

from bot.adapters.chroma.faults import Lost

FILE = "whole.sqlite3"
_MOST = 127
"""The largest number on both sides of zero."""

_ZERO = 128
"""The byte that stands for zero: Python keeps the numbers of bytes ready, and makes others anew."""

_CACHE_KIB = 256
"""Pages that SQLite keeps in memory; the kernel keeps those that are read often."""

_TABLE = """CREATE TABLE IF NOT EXISTS whole (
    number INTEGER PRIMARY KEY, whose TEXT NOT NULL, length REAL NOT NULL,
    square INTEGER NOT NULL, bytes BLOB NOT NULL
)"""
_INDEX = "CREATE INDEX IF NOT EXISTS whole_whose ON whole (whose)"
_PUT = "INSERT OR REPLACE INTO whole VALUES (?, ?, ?, ?, ?)"
_REMOVE = "DELETE FROM whole WHERE number = ? AND whose = ?"
_COUNT = "SELECT count(*) FROM whole WHERE whose = ?"
_AFTER = "SELECT number FROM whole WHERE whose = ? ORDER BY number LIMIT 1 OFFSET ?"
_FIND = "SELECT number, length, square, bytes FROM whole WHERE whose = ? AND number IN ({})"


class WholeVectors:
    """Keeps the vector of each passage with its owner; the vectors of a passage that moved went.

    What leaves is overwritten in the file at once.
    """

    def __init__(self, file: Path) -> None:
        # Python commits where we say so.
        self._database = sqlite3.connect(file, timeout=5)
        self._database.execute("PRAGMA secure_delete = ON")
        self._database.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        with self._database:
            self._database.execute(_TABLE)
            self._database.execute(_INDEX)

    def put(self, whose: str, vectors: Iterable[tuple[int, Sequence[float]]]) -> None:
        rows = [(number, whose, *_bytes_of(vector)) for number, vector in vectors]
        with self._database:
            self._database.executemany(_PUT, rows)

    def remove(self, whose: str, numbers: Iterable[int]) -> None:
        with self._database:
            self._database.executemany(_REMOVE, [(number, whose) for number in numbers])

    def remove_all(self, whose: str) -> None:
        """Removes all vectors of an owner, and gives their space back."""
        with self._database:
            self._database.execute("DELETE FROM whole WHERE whose = ?", (whose,))
        self._database.execute("VACUUM")

    def near(
        self, whose: str, question: Sequence[float], numbers: Sequence[int]
    ) -> Sequence[tuple[int, float]]:
        """Returns how near these are to a question of length 1, the nearest first."""
        rows, asked = self._find(whose, numbers), tuple(question)
        if any(len(held) != len(asked) for *_, held in rows):
            raise Lost("vectors of another size")
        above = _ZERO * sum(asked)
        # One after another: the numbers of all of them would take 4 MB.
        near = [
            (number, (product(asked, tuple(held), square) - above) / length)
            for number, length, square, held in rows
        ]
        return sorted(near, key=lambda one: -one[1])

    def vector(self, whose: str, number: int) -> Sequence[float]:
        """Returns a vector of any length; raises Lost when it is not there."""
        for *_, held in self._find(whose, [number]):
            return [byte - _ZERO for byte in held]
        raise Lost("whole vectors are missing")

    def some(self, whose: str) -> Sequence[int]:
        """Returns the first, the middle and the last number of an owner."""
        last = self._count(whose) - 1
        places = sorted({0, last // 2, last}) if last >= 0 else ()
        return [
            number
            for place in places
            for (number,) in self._database.execute(_AFTER, (whose, place))
        ]

    def check(self, least: Mapping[str, int]) -> None:
        """Raises Lost unless the file is sound and has at least so many vectors of each owner."""
        (told,) = self._database.execute("PRAGMA quick_check(1)").fetchone()
        if told != "ok" or any(self._count(whose) < count for whose, count in least.items()):
            raise Lost("whole vectors are missing")

    def _count(self, whose: str) -> int:
        (count,) = self._database.execute(_COUNT, (whose,)).fetchone()
        return count

    def _find(self, whose: str, numbers: Sequence[int]) -> list[tuple[int, float, int, bytes]]:
        wanted = _FIND.format(", ".join("?" * len(numbers)))
        return self._database.execute(wanted, (whose, *numbers)).fetchall()


def product(question: tuple[float, ...], other: tuple[int, ...], square: int) -> float:
    """Returns the scalar product of a question of length 1 and another vector with its square.

    A distance holds a scalar product, and `dist` is the one loop over numbers that Python has in C.
    It takes 3 microseconds for 384 numbers; numpy would take 15 MB.
    """
    return (1 + square - dist(question, other) ** 2) / 2


def _bytes_of(vector: Sequence[float]) -> tuple[float, int, bytes]:
    """Returns the length of the rounded vector, and its bytes behind the sum of their squares."""
    scale = _MOST / max(map(abs, vector))
    rounded = [round(each * scale) for each in vector]
    held = bytes([each + _ZERO for each in rounded])
    return sqrt(sum(map(mul, rounded, rounded))), sum(map(mul, held, held)), held
