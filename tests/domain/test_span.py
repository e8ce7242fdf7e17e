"""A stretch of time in words that people read."""

import pytest

from bot.domain.clock.span import span


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
