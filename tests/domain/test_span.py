"""A stretch of time in words that people read."""

import pytest

from bot.domain.clock.span import lasting, span


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (0, "less than a minute"),
        (59.9, "less than a minute"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (7_500, "2 h 5 min"),
        (86_399, "23 h 59 min"),
        (86_400, "1 day"),
        (90_000, "1 day 1 h"),
        (1_000_000, "11 days 13 h"),
    ],
)
def test_a_stretch_of_time_is_told_in_its_two_largest_units(seconds: float, told: str) -> None:
    assert span(seconds) == told


@pytest.mark.parametrize(
    ("seconds", "exact", "rough"),
    [
        (0, "1 second", "1 second"),
        (60, "60 seconds", "60 seconds"),
        (60.5, "61 seconds", "2 minutes"),
        (90, "90 seconds", "2 minutes"),
        (120.5, "3 minutes", "3 minutes"),
        (3_600, "60 minutes", "60 minutes"),
        (3_660, "61 minutes", "2 hours"),
        (7_201, "3 hours", "3 hours"),
    ],
)
def test_a_duration_is_never_told_too_short(seconds: float, exact: str, rough: str) -> None:
    assert (lasting(seconds), lasting(seconds, roughly=True)) == (exact, rough)
