"""A covering has each possible combination, no impossible row, and what it has to begin with."""

from collections.abc import Sequence
from itertools import combinations, product

import pytest

from tests.crossings.covering import Row, Rows, among, both, either, given

FACTORS = {
    "way": ["message", "voice", "task", "plan"],
    "place": ["private", "group", "page"],
    "who": ["owner", "member"],
    "store": ["memory", "sqlite"],
    "end": ["none", "stop", "restart"],
}
CONDITIONS = [
    given(among("way", "task"), among("place", "private", "page")),
    given(among("place", "page"), both(among("who", "member"), among("way", "message", "task"))),
    either(among("end", "none"), among("store", "sqlite"), among("way", "voice")),
    # It follows from two conditions, and stands in neither, that no plan is stopped.
    given(among("way", "plan"), among("store", "memory")),
]


def allowed() -> Sequence[Row]:
    """Returns all rows that the conditions allow, found without any cleverness."""
    rows = (dict(zip(FACTORS, row, strict=True)) for row in product(*FACTORS.values()))
    return [row for row in rows if all(one.holds(row) for one in CONDITIONS)]


def together(rows: Sequence[Row], strength: int) -> set[tuple[tuple[str, str], ...]]:
    """Returns all combinations of so many values that stand in one of these rows."""
    return {pick for row in rows for pick in combinations(row.items(), strength)}


@pytest.mark.parametrize("strength", [1, 2, 3])
def test_each_combination_that_can_be_stands_in_a_row(strength: int) -> None:
    found = [*Rows(FACTORS, CONDITIONS).covering(strength)]
    assert together(found, strength) == together(allowed(), strength)
    assert all(row in allowed() for row in found)
    assert len(found) < len(allowed())


def test_the_rows_are_the_same_each_time() -> None:
    first, second = (
        [*Rows(FACTORS, CONDITIONS).covering(2, first=[("store", "sqlite")])] for _ in range(2)
    )
    assert first == second


def test_what_is_begun_stands_together_whatever_else_is_covered() -> None:
    begun = {"way": "voice", "place": "group", "who": "member", "end": "stop"}
    found = [*Rows(FACTORS, CONDITIONS).covering(1, [begun])]
    assert begun.items() <= found[0].items()


def test_a_row_that_cannot_be_is_not_begun() -> None:
    with pytest.raises(ValueError, match="there is no row with"):
        list(Rows(FACTORS, CONDITIONS).covering(1, [{"way": "plan", "end": "stop"}]))


def test_few_rows_have_what_comes_first() -> None:
    rows = Rows(FACTORS, CONDITIONS)
    plain, spared = (
        sum(row["store"] == "sqlite" for row in rows.covering(2, first=first))
        for first in ((), [("store", "sqlite")])
    )
    assert spared <= plain
