"""Nothing is lost, doubled, run twice or out of order, however often the process is killed."""

import os
from pathlib import Path

import pytest

from tests.e2e import storm_of_sends
from tests.e2e.own_server import own_server
from tests.e2e.storm import ROOM, Forecast, faults, storm
from tests.lacking import THOROUGH


@pytest.mark.commands
@pytest.mark.timeout(300)
async def test_a_storm_of_kills_loses_nothing_and_runs_nothing_twice(tmp_path: Path) -> None:
    tally = await storm(tmp_path, Forecast(seconds=30 if THOROUGH else 10, seed=1))
    assert tally.asked > 0
    assert faults(tally) == [], str(vars(tally))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("platform", ["telegram", "discord"])
async def test_no_message_is_doubled_by_a_death_between_its_sending_and_its_record(
    tmp_path: Path, platform: str
) -> None:
    count = await storm_of_sends.storm(tmp_path, platform, kills=20 if THOROUGH else 10, seed=1)
    assert count.cut > 0
    assert (count.lost, count.doubled) == ([], []), str(count)


@pytest.mark.commands
@pytest.mark.timeout(300)
async def test_a_storm_over_three_workers_and_their_server_loses_and_doubles_nothing(
    tmp_path: Path,
) -> None:
    seconds = 60 if THOROUGH else 12
    # Only root lays a disk over a folder for a server that it starts as another user.
    full = os.geteuid() == 0
    with own_server(room=ROOM * full) as server:
        forecast = Forecast(seconds=seconds, seed=1, workers=3, full=full)
        tally = await storm(tmp_path, forecast, server)
    assert tally.asked > 0
    assert faults(tally) == [], str(vars(tally))
