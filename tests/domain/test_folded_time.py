"""A scale of time with folds keeps the order of moments and its two ends."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bot.domain.clock.folded_time import Stretch, folded_time, without

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
SECONDS = st.integers(0, 100_000)


def stretch(begin: float, end: float) -> Stretch:
    return Stretch(NOON + timedelta(seconds=begin), NOON + timedelta(seconds=end))


def test_a_long_wait_takes_little_room_and_work_keeps_its_share() -> None:
    scale = folded_time(stretch(0, 1_010), [stretch(5, 1_005)])
    assert scale.place(NOON) == 0
    assert round(scale.place(NOON + timedelta(seconds=5)), 6) == 46
    assert round(scale.place(NOON + timedelta(seconds=1_005)), 6) == 54
    assert round(scale.place(NOON + timedelta(seconds=1_010)), 6) == 100


def test_without_a_fold_it_is_the_true_scale() -> None:
    scale = folded_time(stretch(0, 200), [])
    assert scale.place(NOON + timedelta(seconds=50)) == 25
    assert folded_time(stretch(0, 0), []).place(NOON) == 0


@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=8), st.lists(SECONDS, min_size=2))
def test_places_never_go_back_and_stay_on_the_scale(
    folds: list[tuple[int, int]], moments: list[int]
) -> None:
    scale = folded_time(stretch(0, 100_000), [stretch(min(f), max(f)) for f in folds])
    places = [scale.place(NOON + timedelta(seconds=at)) for at in sorted(moments)]
    assert all(0 <= place <= 100.000001 for place in places)
    assert all(one <= other + 1e-9 for one, other in pairwise(places))
    ends = [scale.place(NOON), scale.place(NOON + timedelta(seconds=100_000))]
    assert ends[0] == 0
    assert len(scale.folds) == 0 or ends[1] > 0


def test_a_wait_is_parted_by_the_work_within_it() -> None:
    parts = without(stretch(0, 100), [stretch(20, 30), stretch(25, 40), stretch(90, 200)])
    assert parts == (stretch(0, 20), stretch(40, 90))
    assert without(stretch(0, 10), [stretch(0, 10)]) == ()
