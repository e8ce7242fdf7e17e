"""Nothing is lost, run twice or out of order, however often the process is killed."""

from pathlib import Path

import pytest

from tests.e2e.storm import faults, storm


@pytest.mark.commands
@pytest.mark.timeout(300)
async def test_a_storm_of_kills_loses_nothing_and_runs_nothing_twice(tmp_path: Path) -> None:
    tally = await storm(tmp_path, seconds=30, seed=1)
    print(tally)  # noqa: T201 - how often an answer had to come twice is shown with -s
    assert tally.asked > 0
    assert faults(tally) == [], str(vars(tally))
