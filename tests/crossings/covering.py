"""Finds few rows in which each possible combination of so many values stands together."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

Row = Mapping[str, str]
Pick = tuple[int, ...]
"""Values by their numbers, each of another factor, the lowest first."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds or does not hold for a row; it looks at these factors alone."""

    factors: frozenset[str]
    holds: Callable[[Row], bool]


def among(factor: str, *values: str) -> Condition:
    """Returns the condition that a factor has one of these values."""
    return Condition(frozenset([factor]), lambda row: row[factor] in values)


def either(*conditions: Condition) -> Condition:
    """Returns the condition that one of these holds."""
    return Condition(_factors(conditions), lambda row: any(one.holds(row) for one in conditions))


def both(*conditions: Condition) -> Condition:
    """Returns the condition that all of these hold."""
    return Condition(_factors(conditions), lambda row: all(one.holds(row) for one in conditions))


def given(condition: Condition, then: Condition) -> Condition:
    """Returns the condition that the second one holds where the first one does."""
    factors = _factors((condition, then))
    return Condition(factors, lambda row: not condition.holds(row) or then.holds(row))


def _factors(conditions: Sequence[Condition]) -> frozenset[str]:
    return frozenset[str]().union(*(one.factors for one in conditions))


class _Bound:
    """A condition by numbers: it knows which of the rows that it allows have which value."""

    def __init__(self, places: Sequence[int], allowed: Sequence[Pick]) -> None:
        self._places = places
        self._all = (1 << len(allowed)) - 1
        self._having: defaultdict[int, int] = defaultdict(int)
        for bit, one in enumerate(allowed):
            for number in one:
                self._having[number] |= 1 << bit

    def may_hold(self, row: Sequence[int | None]) -> bool:
        """Returns whether the open factors of a row can still be filled, for this condition."""
        left = self._all
        for place in self._places:
            number = row[place]
            if number is not None:
                left &= self._having[number]
        return left != 0


class Rows:
    """The rows that factors allow; each value of each factor has a number of its own."""

    def __init__(
        self, factors: Mapping[str, Sequence[str]], conditions: Sequence[Condition]
    ) -> None:
        self._names = [*factors]
        self._values = [(name, value) for name in factors for value in factors[name]]
        numbers = {value: number for number, value in enumerate(self._values)}
        self._of = [[numbers[name, value] for value in factors[name]] for name in factors]
        self._place = [self._names.index(name) for name, _ in self._values]
        self._bounds: list[list[_Bound]] = [[] for _ in self._names]
        for condition in conditions:
            self._bind(condition)
        # What is bound most is filled first, so that a row that cannot be is known soon.
        self._order = sorted(range(len(self._of)), key=lambda at: -len(self._bounds[at]))

    def _bind(self, condition: Condition) -> None:
        places = tuple(at for at, name in enumerate(self._names) if name in condition.factors)
        rows = product(*(self._of[at] for at in places))
        bound = _Bound(places, [one for one in rows if condition.holds(self._told(one))])
        for place in places:
            self._bounds[place].append(bound)

    def _told(self, row: Sequence[int]) -> Row:
        return dict(self._values[number] for number in row)

    def possible(self, pick: Sequence[int]) -> bool:
        """Returns whether a row with these values is allowed."""
        row: list[int | None] = [None] * len(self._of)
        return all(self._put(row, number) for number in pick) and self._may_end(row)

    def _put(self, row: list[int | None], number: int) -> bool:
        """Sets a value; returns whether each condition about its factor may still hold."""
        place = self._place[number]
        row[place] = number
        return all(bound.may_hold(row) for bound in self._bounds[place])

    def _may_end(self, row: list[int | None]) -> bool:
        """Returns whether the open factors can be filled, and leaves them open."""
        place = next((at for at in self._order if row[at] is None), None)
        if place is None:
            return True
        found = any(self._put(row, number) and self._may_end(row) for number in self._of[place])
        row[place] = None
        return found

    def picks(self, strength: int) -> Iterator[Pick]:
        """Yields each possible combination of so many values."""
        smaller = None if strength < 2 else set(self.picks(strength - 1))
        for places in combinations(self._of, strength):
            for pick in product(*places):
                parts = combinations(pick, strength - 1)
                may = smaller is None or all(part in smaller for part in parts)
                if may and self.possible(pick):
                    yield pick

    def covering(
        self,
        strength: int,
        begun: Sequence[Row] = (),
        first: Sequence[tuple[str, str]] = (),
    ) -> Iterator[Row]:
        """Yields rows, each with as many new combinations as a look one value ahead finds.

        Each row that is `begun` has its own. What stands beside the `first` values comes next, so
        that few other rows have them.
        """
        owed: list[dict[Pick, None]] = [{} for _ in self._values]
        for pick in self.picks(strength):
            for number, rest in _parts(pick):
                owed[number][rest] = None
        for pick in self._seeds(begun, first, owed):
            row = self._filled(pick, strength, owed)
            for done in combinations(row, strength):
                for number, rest in _parts(done):
                    owed[number].pop(rest, None)
            yield self._told(row)

    def _seeds(
        self,
        begun: Sequence[Row],
        first: Sequence[tuple[str, str]],
        owed: Sequence[Mapping[Pick, None]],
    ) -> Iterator[Pick]:
        """Yields what each row begins with, as long as combinations are owed."""
        for row in begun:
            yield tuple(self._values.index(value) for value in row.items())
        for some in [*([self._values.index(value)] for value in first), range(len(owed))]:
            while any(owed[number] for number in some):
                most = max(some, key=lambda number: len(owed[number]))
                yield (most, *next(iter(owed[most])))

    def _filled(self, begun: Pick, strength: int, owed: Sequence[Mapping[Pick, None]]) -> Pick:
        """Returns a row that begins with these values; raises ValueError where there is none."""
        row: list[int | None] = [None] * len(self._of)
        if not (all(self._put(row, number) for number in begun) and self._may_end(row)):
            raise ValueError(f"there is no row with {self._told(begun)}")
        while None in row:
            here = sorted(number for number in row if number is not None)
            new = set(combinations(here, strength - 1))
            free = [n for at, of in enumerate(self._of) if row[at] is None for n in of]
            for number in sorted(free, key=lambda number: -len(new & owed[number].keys())):
                if self._put(row, number) and self._may_end(row):
                    break
                row[self._place[number]] = None
        return tuple(number for number in row if number is not None)


def _parts(pick: Pick) -> Iterator[tuple[int, Pick]]:
    """Yields each value with the others."""
    for at, number in enumerate(pick):
        yield number, pick[:at] + pick[at + 1 :]
