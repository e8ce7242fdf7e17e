"""Figures, and the rows of their table."""

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

HEADER = "| Figure | Steward | Bare SDKs | Over them | Aim |\n|---|--:|--:|--:|--:|"


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table; `floor` is the bare SDKs' figure in the same run."""

    name: str
    steward: float
    unit: str = ""
    floor: float | None = None
    aim: str = ""

    def row(self) -> str:
        over = None if self.floor is None else self.steward - self.floor
        cells = (self.name, self._cell(self.steward), self._cell(self.floor), self._cell(over))
        return f"| {' | '.join(cells)} | {self.aim} |"

    def _cell(self, value: float | None) -> str:
        if value is None:
            return ""
        digits = 0 if isinstance(value, int) or abs(value) >= 100 else 1 if abs(value) >= 10 else 2
        return f"{value:,.{digits}f} {self.unit}".rstrip()


def median(values: Iterable[float]) -> float:
    return statistics.median(values)
