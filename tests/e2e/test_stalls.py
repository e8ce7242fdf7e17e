from datetime import UTC, datetime
from itertools import chain, repeat

import pytest

from tests.e2e.pressure import Pressure
from tests.e2e.stalls import Stalls

MOMENT = datetime(2026, 11, 22, 14, 10, 12, tzinfo=UTC).timestamp()
LINE = (
    "2026-11-22 14:10:12Z WARNING bot.adapters: "
    "the event loop was held for 0.20 s ({} s of it computing) by x.py:1 f"
)
COMPUTED, BLOCKED = LINE.format("0.18"), LINE.format("0.02")
SHARED = LINE.format("0.12")
"""What a core computed of which others had the half."""


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
    watch = watched(waited=0.0)
    for end, late in stalls:
        watch.note(end, late)
    assert watch.excuse(COMPUTED) is excused
    assert watch.excuse(BLOCKED) is excused
    assert not watch.excuse("2026-11-22 14:10:12Z WARNING something else")


@pytest.mark.parametrize(("waited", "busy"), [(0.0, False), (0.05, False), (1.0, True)])
def test_on_a_busy_machine_what_computed_is_judged_alone(waited: float, busy: bool) -> None:
    watch = watched(waited)
    assert watch.excuse(BLOCKED) is busy
    assert watch.excuse(SHARED) is busy
    assert not watch.excuse(COMPUTED)


def watched(waited: float) -> Stalls:
    """Returns a watch on a machine on which others waited for so long, of three seconds."""
    # The thread of the watch may look once more before it is stopped.
    account = chain(range(31), repeat(30))
    pressure = Pressure(lambda: waited * next(account) / 30)
    for step in range(31):
        pressure.look(MOMENT - 1.2 + step * 0.101)
    watch = Stalls(pressure)
    watch.stop()
    return watch
