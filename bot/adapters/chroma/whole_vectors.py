"""The whole vectors beside Chroma's short ones, in a file of their own: a byte for each number."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bot.adapters.chroma.faults import Lost
from bot.domain.memory.rounded import Rounded, question, rounded

FILE = "whole.sqlite3"
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
        each = ((number, rounded(vector)) for number, vector in vectors)
        rows = [(number, whose, one.length, one.square, one.held) for number, one in each]
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
        self, whose: str, vector: Sequence[float], numbers: Sequence[int]
    ) -> Sequence[tuple[int, float]]:
        """Returns how near these are to a question of length 1, the nearest first."""
        rows, asked = self._find(whose, numbers), question(vector)
        if any(len(one.held) != len(asked.numbers) for _, one in rows):
            raise Lost("vectors of another size")
        # One after another: the numbers of all of them would take 4 MB.
        near = [(number, asked.nearness(one)) for number, one in rows]
        return sorted(near, key=lambda one: -one[1])

    def vector(self, whose: str, number: int) -> Sequence[float]:
        """Returns a vector; raises Lost when it is not there."""
        for _, one in self._find(whose, [number]):
            return one.numbers
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

    def _find(self, whose: str, numbers: Sequence[int]) -> list[tuple[int, Rounded]]:
        wanted = _FIND.format(", ".join("?" * len(numbers)))
        rows = self._database.execute(wanted, (whose, *numbers))
        return [(number, Rounded(held, length, square)) for number, length, square, held in rows]
