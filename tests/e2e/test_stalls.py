from datetime import UTC, datetime

import pytest

from tests.e2e.stalls import Stalls

MOMENT = datetime(2026, 11, 22, 14, 10, 12, tzinfo=UTC).timestamp()
LINE = "2026-11-22 14:10:12Z WARNING bot.adapters: the event loop was held for 0.20 s by x.py:1 f"


@pytest.mark.parametrize(
    ("stalls", "excused"),
    [
        ([(MOMENT, 0.2)], True),
        ([(MOMENT + 0.9, 0.06), (MOMENT + 0.95, 0.06)], True),
        ([(MOMENT, 0.06)], False),
        ([(MOMENT - 5, 3.0)], False),
        ([(MOMENT + 5, 3.0)], False),
        ([], False),
    ],
    ids=["as_long", "together", "too_short", "before", "after", "none"],
)
def test_a_hold_is_excused_by_stalls_around_it(
    stalls: list[tuple[float, float]], excused: bool
) -> None:
    watch = Stalls()
    watch.stop()
    for end, late in stalls:
        watch.note(end, late)
    assert watch.excuse(LINE) is excused
    assert not watch.excuse("2026-11-22 14:10:12Z WARNING something else")
